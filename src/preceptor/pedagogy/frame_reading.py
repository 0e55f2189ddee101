"""What a tutor's turn asks for, read from its text: the frame a short reply is read against.

Used for dialogues whose frames were not recorded. Only English questions are told apart; in other languages
bare arithmetic in the tutor's turn still gives its value.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction

from preceptor.domain.frame import Frame, FrameKind
from preceptor.maths.noun_phrases import head_noun, singular
from preceptor.maths.step_graph import StepGraph
from preceptor.maths.text_numbers import find_numbers
from preceptor.pedagogy.arithmetic_question import asked_value
from preceptor.pedagogy.matching import Asked
from preceptor.pedagogy.worlds import unit_symbol

_SENTENCE = re.compile(r"[^.?!\n。？！؟]+(?:\.(?=\d)[^.?!\n。？！؟]*)*[.?!。？！؟]*")
_PRESENCE = re.compile(
    r"\bare you (?:still |there|with me|ready|working|done|able to follow|at the computer|on it)|\byou there\b"
    r"|\blet me know when|\bdo you (?:follow|see it)\b|\bcan you (?:see|hear) (?:me|it|that|this)\b|\bok(?:ay)?\s*\?$",
    re.IGNORECASE,
)
_INSIDE = re.compile(
    r"\b(?:can|could|would|will|do|are) you (?:please |now |then |just |able to |try (?:to|and) |want to )*"
    r"(?:tell me|work out|calculate|find|figure out|see|give me|say|show me|explain|walk|talk|describe|know|think of"
    r"|convert|put|solve|simplify|add|subtract|multiply|divide|list|write|check|recheck|share|guide|go through)\b",
    re.IGNORECASE,
)
_EXPLAIN = re.compile(
    r"\b(?:explain|walk (?:me |us )?through|talk (?:me |us )?through|guide me|describe|why\b|reason(?:ing)?\b"
    r"|how (?:did|do|have|were|are) you|how (?:you|did you) (?:got|get|came|come|worked|work|reached|solved|found)"
    r"|how come|how is that|how (?:can|could|is|are|was|were) (?!(?:we|you|i)\b)(?!many\b|much\b|old\b|long\b|far\b)"
    r"|show (?:me )?(?:your|the) (?:work|steps|working)|what (?:do|did) you mean|what makes you"
    r"|tell me (?:your solution|about your|how)|your (?:thinking|method|approach|working|maths|process)\b"
    r"|what did you do|what were you|where did you|where (?:have )?you (?:went|gone|go)|how would you say"
    r"|what (?:do you|can you) (?:know|tell me) about|how do you (?:say|read|write))",
    re.IGNORECASE,
)
_RESTATE = re.compile(
    r"\b(?:question asking|problem asking|asking (?:us|you|for)\b|asked to (?:find|do)|what (?:do|does|is) the "
    r"(?:question|problem)|what (?:are|is) (?:we|you|it) (?:asked|asking|looking|trying)|in your own words"
    r"|what (?:do we|do you|we) (?:have to|need to|want to) find|have to find|what information|what (?:facts|details)"
    r"|what (?:do|did) (?:we|you) (?:already )?know|explain the (?:question|problem)"
    r"|(?:talk|walk) me through the (?:question|problem)\b|tell me what the (?:question|problem))",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"\bhow (?:many|much|old|long|far|tall|heavy|fast|big|often|wide|deep|high)\b"
    r"|\bwhat(?:'s|s| is| are| was| were| will| would)?(?: be)? (?:the |your |his |her |their |our |its |a |an )?"
    r"(?:\w+['’]?s? ){0,3}?(?:total|sum|difference|product|quotient|value|cost|price|number|amount|answer|percent\w*|"
    r"average|length|width|height|area|perimeter|volume|distance|time|age|weight|profit|rest|remainder|fraction|half|"
    r"third|quarter|output|minuend|result|ratio|rate|rise|interest|chance|probability|balance|income|revenue|earnings"
    r"|capacity|speed|discount|cheapest|new|unit|constant)\b"
    r"|\bwhat (?:percent\w*|fraction|number|total|time|value|year|age|score|amount|price|distance|place|point"
    r"|hundreds)\b"
    r"|\b(?:work out|calculate|find|find out|figure out|add|subtract|multiply|divide|convert|give me|tell me)\b.*"
    r"\b(?:total|sum|how many|how much|number|amount|answer|solution|value|cost|price|together|minutes|hours|them up)\b"
    r"|\bwhat (?:do|does|did|would|will|should) (?:you|we|she|he|it|they|that|this)?.{0,40}\b(?:get|have left|make"
    r"|equal"
    r"|come to|give|leave|be|left)\b|\bwhat(?:'s| is) (?:left|next|it|that|this|\d)|\bwhat (?:are|is) .{0,25}\d"
    r"|\bequals?\s*\??$|=\s*\??$|\bwhich (?:number|value|part|place|answer|amount|year|day)\b",
    re.IGNORECASE,
)
_OPERATION = re.compile(
    r"\bwhat (?:operation|calculation|equation|expression|sum would|formula|step|steps)\b"
    r"|\bwhat (?:do|should|would|can|could|must|will|did) (?:we|you|i|he|she) (?:need to |have to |want to |then "
    r"|now )*"
    r"(?:do|calculate|add|subtract|multiply|divide|deduct|take away)\b|\bwhat (?:is|would be) the (?:next|first) step"
    r"|\bhow (?:do|would|can|could|should|might|will|did) (?:we|you|i|he|she) (?:\w+ ){0,2}?(?:work|find|calculate|get"
    r"|figure|solve|set|go about|add|write|determine|know how|express)\b|\bwhich operation\b"
    r"|\b(?:add|subtract|multiply|divide)(?:ing|ed)? or (?:add|subtract|multiply|divide)|\bwhat (?:comes"
    r"|happens) next\b"
    r"|\bhow would (?:you|we)\b|\bwhat do (?:we|you) do\b|\bwhat next\b",
    re.IGNORECASE,
)
_YES_NO = re.compile(
    r"^(?:(?:ok(?:ay)?|so|and|but|now|well|good|great|yes|no|right|then|also|hi|hello|great work"
    r"|(?-i:[A-Z][a-z]+)(?=[,:]))[,.!:]?\s+){0,3}"
    r"(?:do|does|did|is|are|was|were|can|could|would|will|have|has|had|should|shall|am|may|isn't|aren't|don't|doesn't"
    r"|didn't|wasn't|haven't|hasn't|won't|wouldn't|couldn't|shouldn't)\b|\bright\s*\?$|\bcorrect\s*\?$|\bok\s*\?$"
    r"|\b(?:isn't|doesn't|don't|aren't|wasn't|didn't) (?:it|that|you|he|she|they|we)\s*\?$",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"^(?:(?:ok(?:ay)?|so|and|but|now|then|first|next|please|well|hi|hello|you (?:now )?need to"
    r"|(?-i:[A-Z][a-z]+)(?=[,:]))[,.!:]?\s+){0,4}"
    r"(?:try|work|calculate|find|figure|add|subtract|multiply|divide|convert|tell|explain|walk|talk|show|describe"
    r"|solve|write|give|list|simplify|count|say|double|use|read|re-?read|look|check|recheck)\b",
    re.IGNORECASE,
)
_CHOICE = re.compile(r"\b([\w$%.,/ ]{1,40}?)\s+or\s+(?:an? |the )?([\w$%.,/ ]{1,40}?)\s*\?", re.IGNORECASE)
_CHOICE_FILLER = re.compile(
    r"^.*\b(?:is|are|was|were|be|it|we|you|should|do|does|did|than|to|would|need|number|a|an|the|that|there|will"
    r"|have)\s+",
    re.IGNORECASE,
)
_OR_NOT = re.compile(
    r"\bor (?:not|something|anything|what|do|does|have|is|are|can|should|would|one more)\b", re.IGNORECASE
)
_SUPPOSE = re.compile(
    r"\b(?:if|suppose|imagine|let'?s say|say|pretend|consider|for example|what if|assume)\b", re.IGNORECASE
)
_STATED = re.compile(r"\b(?:we|you) (?:now )?(?:know|have|found|said|agreed)\b|\bgiven that\b", re.IGNORECASE)


def read_frame(said: str | None, *, graph: StepGraph | None, problem: str, language: str = "en") -> Frame:
    """Return what a tutor's turn asks for.

    Args:
        said: The tutor's turn; `None` or empty: nobody asked anything.
        graph: The worked solution; a question about values that neither it nor the text has is about another case.
        problem: The problem's text.
        language: Language of the turn.
    """
    if not said or not said.strip():
        return Frame(kind=FrameKind.OPEN)
    pending = _pending(said)
    if pending is None:
        return Frame(kind=FrameKind.OPEN)
    kind, options = _kind(pending)
    asks = pending.endswith(("?", "？", "؟")) or _open_equation(pending) or bool(_REQUEST.search(pending))
    value = asked_value(pending, language) if asks else None
    if value is not None and kind in {FrameKind.OPEN, FrameKind.OPERATION, FrameKind.EXPLAIN}:
        kind = FrameKind.VALUE
    if kind is not FrameKind.VALUE:
        return Frame(kind=kind, options=options)
    own = _own_instance(pending, said, graph, problem, language)
    node = None
    if value is not None and graph is not None and own:
        same = [step.index for step in graph.nodes if step.value == value]
        node = same[0] if len(same) == 1 else None
    return Frame(kind=kind, node=node, value=value, own_instance=own)


def _sentences(text: str) -> list[str]:
    return [piece.strip() for piece in _SENTENCE.findall(text) if piece.strip(" .?!\n")]


def _pending(said: str) -> str | None:
    """Return the sentence that asks; a later "are you there?" does not take its place."""
    sentences = _sentences(said)
    questions = [sentence for sentence in sentences if sentence.endswith(("?", "？", "؟")) or _open_equation(sentence)]
    real = [sentence for sentence in questions if not _PRESENCE.search(sentence)]
    if real or questions:
        return (real or questions)[-1]
    requests = [sentence for sentence in sentences if _REQUEST.search(sentence) or _INSIDE.search(sentence)]
    if requests:
        return requests[-1]
    asked = [
        sentence
        for sentence in sentences
        if re.match(
            r"(?:so |and |then |now |ok(?:ay)? |hello |hi )*\W*(?:what|how|why|which|where|who|when|can|could"
            r"|do|does|is)\b",
            sentence,
            re.IGNORECASE,
        )
    ]
    if asked:
        return asked[-1]
    embedded = [
        sentence
        for sentence in sentences
        if re.search(r"[,;-]\s*(?:so |and |then )*(?:what|how|why|can you|could you)\b", sentence, re.IGNORECASE)
        or re.search(r"\b(?:how (?:many|much)|so what|what is|therefore)\b[^.]*$", sentence, re.IGNORECASE)
        and not re.search(r"\b(?:to (?:find|see|know|work out|figure)|calculated|know|understand)\b.*\bhow", sentence)
    ]
    if embedded:
        return embedded[-1]
    return None


def _open_equation(sentence: str) -> bool:
    return bool(re.search(r"\d\s*(?:=|equals)\s*[?_. ]*$", sentence)) or "___" in sentence


def _kind(sentence: str) -> tuple[FrameKind, tuple[str, ...]]:
    options = _options(sentence)
    if options:
        return FrameKind.CHOICE, options
    tests: tuple[tuple[FrameKind, Callable[[str], object]], ...] = (
        (FrameKind.RESTATE, _RESTATE.search),
        (FrameKind.OPERATION, _OPERATION.search),
        (FrameKind.EXPLAIN, _explains),
    )
    asks_inside = bool(_INSIDE.search(sentence)) or not _YES_NO.search(sentence)
    if asks_inside:
        for kind, test in tests:
            if test(sentence):
                return kind, ()
    if (asks_inside or re.search(r"[,;]\s*(?:so |and |then )?(?:how (?:many|much)|what)\b", sentence)) and (
        _VALUE.search(sentence) or _open_equation(sentence)
    ):
        return FrameKind.VALUE, ()
    if _YES_NO.search(sentence):
        return FrameKind.YES_NO, ()
    if re.search(r"\bwhat\b|\bwhich\b|\bhow (?:many|much)\b", sentence, re.IGNORECASE) and sentence.endswith("?"):
        return FrameKind.VALUE, ()
    return (FrameKind.YES_NO if sentence.endswith(("?", "？", "؟")) else FrameKind.OPEN), ()


def _explains(sentence: str) -> bool:
    return bool(_EXPLAIN.search(sentence)) and not re.search(
        r"\bhow (?:did|do|have) you (?:\w+ )?(?:have left|many|much)\b", sentence, re.IGNORECASE
    )


def _options(sentence: str) -> tuple[str, ...]:
    if not sentence.endswith("?") or _OR_NOT.search(sentence):
        return ()
    match = _CHOICE.search(sentence)
    if match is None:
        return ()
    left = _CHOICE_FILLER.sub("", match.group(1)).strip(" ,")
    right = match.group(2).strip(" ,")
    if not left or not right or len(left.split()) > 4 or len(right.split()) > 4:
        return ()
    return (left, right)


def _own_instance(sentence: str, said: str, graph: StepGraph | None, problem: str, language: str) -> bool:
    """Whether the question is about the learner's problem: not if it supposes quantities that stand nowhere in it."""
    if graph is None:
        return True
    supposing = next((piece for piece in _sentences(said) if _SUPPOSE.search(piece)), None)
    if supposing is None or _STATED.search(supposing):
        return True
    known = {number.value for number in find_numbers(problem, language)} | {Fraction(1), Fraction(2)}
    known |= {node.value for node in graph.nodes} | {given.value for given in graph.givens}
    known |= {operand.value for node in graph.nodes for operand in node.operands}
    asked = {number.value for number in find_numbers(f"{supposing} {sentence}", language)}
    return not asked or bool(asked & known - {Fraction(1), Fraction(2)}) or asked <= known


_HOW_MANY = re.compile(r"\bhow many\s+((?:[^\W\d_]+[\s-]*){1,4})", re.IGNORECASE)
_MONEY_ASKED = re.compile(
    r"\bhow much (?:money|does|do|did|would|will|is|was|are|were)?\b.{0,60}\b(?:costs?|spend|spent|pay|paid|earn(?:ed)?"
    r"|money|make|made|profit|save|price|charged?|worth)\b|\bhow many dollars\b|\bwhat (?:is|was) the (?:cost|price)\b",
    re.IGNORECASE,
)


def asked_for(said: str) -> Asked | None:
    """Return what a tutor's question counts; `None`: not known."""
    pending = _pending(said) if said.strip() else None
    if pending is None:
        return None
    if _MONEY_ASKED.search(pending):
        return Asked(unit="$")
    counted = _HOW_MANY.search(pending)
    if counted is None:
        return None
    words = counted.group(1).split()
    symbol = unit_symbol(None, words[0])
    if symbol is not None:
        return Asked(unit=symbol)
    found = head_noun(words)
    return Asked(noun=singular(found[0])) if found else None
