"""How a learner sounds in one turn: cues in six languages, the strongest first. A teaching signal, no diagnosis."""

from __future__ import annotations

import re

from preceptor.domain.learner_state import Emotion

_FRUSTRATED = (
    # en
    r"\bi (?:really )?(?:hate|give up|quit|can'?t do (?:this|it|that|maths?)|can ?not do (?:this|it)|'?m (?:so |too )?"
    r"(?:dumb|stupid|bad at|frustrated|annoyed|angry|mad|fed up|done with this|sick of|tired of))"
    r"|\bi am (?:so |too )?(?:dumb|stupid|bad at|frustrated|annoyed|angry|fed up|sick of|tired of)"
    r"|\bthis (?:is|problem is|question is) (?:so |too |really |just |way too )*(?:hard|stupid|dumb|annoying|impossible"
    r"|boring|unfair|ridiculous|pointless)|\b(?:ugh+|argh+|grr+|wtf|omfg|ffs)\b|\bi already (?:told|said|gave|did)\b"
    r"|\bstop (?:asking|it|saying)|\bleave me alone|\bwaste of time|\bthis sucks|\bmakes no sense at all"
    r"|\bi keep getting (?:it|this) wrong|\bi'?ll never (?:get|understand)|\bjust tell me\b|\bnot fair\b|!{3,}",
    # es
    r"\bodio\b|\bme rindo\b|\bno puedo (?:más|con esto|hacerlo)|\bsoy (?:tonto|tonta|un tonto|muy malo)"
    r"|\bestoy hart[oa]"
    r"|\bqué (?:difícil|rabia)|\bes imposible\b|\bmuy difícil\b",
    # fr
    r"\bj'?en ai marre|\bje déteste|\bj'?abandonne|\bje suis (?:nul|nulle|bête|trop bête)|\bc'est (?:trop )?"
    r"(?:dur|difficile|impossible|nul)\b|\bça m'énerve",
    # de
    r"\bich hasse\b|\bich gebe auf|\bich geb'? auf|\bich (?:kann|schaffe|schaff) das nicht|\bich bin (?:zu |so )?"
    r"(?:dumm|blöd|doof|schlecht)|\b(?:das ist )?(?:zu|so) (?:schwer|schwierig|blöd)\b|\bnervt\b|\bkeine lust\b",
    # ar
    r"أكره|استسلم|أستسلم|لا أستطيع|مستحيل|صعب جدا|صعب جداً|أنا غبي|أنا غبية|مللت|تعبت",
    # zh
    r"太难|烦死|烦人|讨厌|放弃|我不行|我好笨|我太笨|做不了|受不了|不想做",
)
_CONFUSED = (
    r"\bi(?:'?m| am)? (?:so |a bit |a little |really |still |very |kinda |kind of )*(?:confused|lost|stuck|unsure"
    r"|not sure)\b"
    r"|\bi (?:really |still |just )*(?:don'?t|do not|dont|didn'?t|did not|can'?t|cannot) (?:really |quite |even )*"
    r"(?:understand|get (?:it|this|that|what|how|why)\b|get\s*$|know (?:how|what|where|why|if)|follow|see (?:how|why"
    r"|what)"
    r"|remember)|\bi (?:really )?(?:don'?t|do not|dont) know\b|\b(?:idk|idek|dunno|iduno|no idea|no clue)\b"
    r"|\bconfus(?:ed|ing)\b|\bwhat do you mean\b|\bhuh\b|\bmakes no sense|\bdoes(?:n'?t| not) make (?:any )?sense"
    r"|\bwhat\?+\s*$|^\s*\?+\s*$|\ba (?:little|tiny) bit\s*[.!]*\s*$",
    r"\bno (?:lo )?entiendo|\bno (?:lo )?sé\b|\bestoy (?:confundid[oa]|perdid[oa])|\bno comprendo|\bqué significa",
    r"\bje (?:ne )?comprends pas|\bje (?:ne )?sais pas|\bje suis perdue?|\bj'?ai pas compris|\bje n'ai pas compris",
    r"\bversteh(?:e)? (?:ich |das |es )*nicht|\bweiß (?:ich |es |das )*nicht|\bweiss (?:ich |es |das )*nicht"
    r"|\bkeine ahnung"
    r"|\bverwirrt\b|\bkapier",
    r"لا أفهم|لم أفهم|مش فاهم|ما فهمت|لا أعرف|لا أعلم|محتار",
    r"不懂|不明白|不会|不知道|没听懂|没看懂|搞不清|糊涂|为难",
)
_RELIEVED = (
    r"\b(?:finally|phew|thank god|thank goodness|what a relief|that(?:'s| is| was) (?:so much |much |way )?(?:easier"
    r"|better"
    r"|clearer)|now (?:it|this|that) makes sense|that makes (?:so much |much )?(?:more )?sense now"
    r"|i (?:finally )?get it now"
    r"|i got it now|now i (?:get|see|understand)|oh+ now|aha+|ohh+)\b|\bi understand now\b|\bah,? (?:i see|ok|okay"
    r"|now)\b",
    r"\bpor fin\b|\bahora (?:sí|entiendo|lo entiendo)|\bmenos mal",
    r"\benfin\b|\bah oui\b|\bmaintenant je comprends|\bouf\b",
    r"\bendlich\b|\bjetzt (?:versteh|verstehe|hab|habe|kapier)|\bach so\b|\baha\b",
    r"أخيرا|أخيراً|الآن فهمت|فهمت الآن",
    r"终于|原来如此|现在明白|这下懂|明白了",
)
_CURIOUS = (
    r"\bi(?:'m| am)? (?:curious|wonder(?:ing)?)\b|\bwhat (?:if|would happen)\b|\bis there (?:another|a different"
    r"|any other|a "
    r"faster|an easier|a shorter) (?:way|method)|\b(?:that'?s |this is |how )(?:really |so )?(?:interesting|cool)\b"
    r"|\bdoes (?:this|that|it) (?:always|also) work|\bwould (?:it|this|that) (?:also|still) work|\bwhy does\b",
    r"\bme pregunto\b|\bqué pasaría|\bhay otra (?:forma|manera)|\bqué interesante",
    r"\bje me demande|\bet si\b|\by a-t-il (?:une autre|un autre)|\bc'est intéressant",
    r"\bich frage mich|\bwas wäre,? wenn|\bgibt es (?:noch )?(?:einen|eine) ander|\binteressant\b",
    r"ماذا لو|أتساءل|هل هناك طريقة أخرى",
    r"如果.{0,12}会怎样|我想知道|有没有别的|还有别的方法|好奇|有意思",
)
_CONFIDENT = (
    r"\bi(?:'m| am) (?:pretty |very |quite |100% |absolutely |totally |really |so |completely )*(?:sure|certain"
    r"|confident|positive)\b"
    r"|\b(?:definitely|obviously|of course|for sure|certainly|no doubt|100%|easy|ez|piece of cake)\b|\bi know (?:it"
    r"|this|that)"
    r"|\bi think my answer is (?:right|correct)|\bmy answer is (?:right|correct)|\bit(?:'s| is) (?:right|correct)[.!]"
    r"|\bi(?:'m| am) (?:not wrong|right)\b|\btrust me\b",
    r"\bestoy (?:muy |totalmente )?segur[oa]\b|\bclaro que\b|\bfácil\b|\bseguro que",
    r"\bje suis (?:très |tout à fait )?(?:sûr|sûre|certain|certaine)\b|\bc'est facile|\bbien sûr|\bévidemment",
    r"\bich bin (?:mir )?(?:ganz |sehr )?sicher\b|\bbestimmt\b|\bleicht\b|\beinfach\b|\bnatürlich\b",
    r"أنا متأكد|متأكدة|بالتأكيد|طبعا|طبعاً|سهل",
    r"我确定|肯定|当然|很简单|太简单|容易",
)
_NOT_CONFIDENT = re.compile(
    r"\bnot (?:so |too |very |really |quite |that )?(?:sure|certain|easy|confident|positive)|\bno estoy"
    r"|\bnicht (?:so )?(?:sicher|leicht|einfach)"
    r"|\bpas (?:sûr|sûre|facile)|\bisn'?t easy|不确定|不太确定|不简单|不容易|لست متأكد|ليس سهل",
    re.IGNORECASE,
)


def _any(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


_CUES: tuple[tuple[Emotion, re.Pattern[str]], ...] = (
    (Emotion.FRUSTRATED, _any(_FRUSTRATED)),
    (Emotion.RELIEVED, _any(_RELIEVED)),
    (Emotion.CONFUSED, _any(_CONFUSED)),
    (Emotion.CURIOUS, _any(_CURIOUS)),
)
_CONFIDENT_CUE = _any(_CONFIDENT)


def read_emotion(utterance: str) -> Emotion:
    """Return how an utterance sounds; `NEUTRAL` where no cue stands in it. All six languages are tried."""
    text = utterance.replace("’", "'")
    for emotion, cue in _CUES:
        if cue.search(text):
            return emotion
    if _CONFIDENT_CUE.search(text) and not _NOT_CONFIDENT.search(text):
        return Emotion.CONFIDENT
    if _NOT_CONFIDENT.search(text):
        return Emotion.CONFUSED
    return Emotion.NEUTRAL
