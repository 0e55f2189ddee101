"""Words that any tutor may use in any problem: what is left of a reply without them is what it talks about.

Our own list, English, as stems of `content_words` make them.
"""

from __future__ import annotations

from preceptor.pedagogy.content_words import content_words

_TALK = """
able about above accidentally account actually again agree ahead all almost already also although always another answer
any anything appears apply appreciate approach
approximately arithmetic around arrive ask asking assume attempt attention
available away back based basic because been begin being believe below best better between big bit both bottom break
bring build calculate calculation careful carefully case certain challenge chance change check choose clarify clear
close closely combine combined come common compare complete complex compute concept confident confuse confused confusion
connect consider context continue convert correct correctly could count couple curious currently deal decide decimal
definitely denominator describe details determine did differ difference different digit directly divide division does
done doing double down draw each earlier easier easy effort either else end ensure enough equal equally equals equation
error especially estimate even every everything exact exactly example excellent except excuse expect explain explanation
explore expression extra fact factor fair fantastic far few figure final finally find fine finish first fix focus
follow forget form formula forward found fraction from full further get give given giving goal going good got great
group guess guide half hand happen happy hard help here hint hmm hold hope however idea identify image imagine important
improve include included including incorrect increase indeed individual information initial inside instead interesting
into involve isn issue item itself job just keep key kind know known language last later lead learn least leave left
less let level like likely line list listen little long look looks lot lower made main make making many master match
math maths matter may maybe mean means measure meant mention might mind mine minus mislead miss missed missing mistake
misunderstand misunderstanding mixed moment more most move much multiple multiplication multiply must myself name
nearly necessary need needed never new next nice none not note nothing notice now number numerator often okay once
one only operation opposite option order original other otherwise ours out over overlook own pair paper part particular
past pay people per percent percentage perfect perhaps person piece place plan please plus point portion possible
practice precise previous probably problem proceed process product progress proper properly provide put question quick
quickly quite quotient ratio rather reach read ready real realize really reason reasoning recalculate recall recheck
reconsider reflect relate related relationship remain remaining remember remind repeat rephrase represent represents
require response rest result rethink return reveal review revisit right round rule same say saying second see seem
seems sense separate separately set share should show similar simple simplify since single situation skip slightly slip
slow small smaller solution solve some someone something sorry sort sound spot start started state statement step
still strategy stuck subtract subtraction such suggest sum suppose sure switch take talk task tell term than thank that
their them then there therefore these they thing think thinking third this those though thought through thus times
together told too took topic top toward track tried trouble true try trying turn twice two type under understand
understanding unit until use used useful using usual usually value variable various verify very walk want watch way
well went were what whatever whether which while whole why will wish with within without wonder wonderful word words
work working worked worry worth would write wrong yes yet you your yourself zero
"""

TALK_WORDS = content_words(_TALK)


def topic_words(text: str) -> frozenset[str]:
    """Return the content words that are about the matter, not about teaching or arithmetic."""
    return content_words(text) - TALK_WORDS
