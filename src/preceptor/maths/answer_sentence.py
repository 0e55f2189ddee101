"""Takes a sentence apart: which clauses state something, which deny it, which explain, and whether it hedges."""

from __future__ import annotations

import re
from dataclasses import dataclass

NO_ANSWERS = frozenset(
    """
    idk|dk|dunno|i dunno|i dont know|i do not know|dont know|i donno|no idea|i have no idea|no clue|i have no clue|
    not sure|im not sure|i am not sure|i cant|i cant do it|i cannot do it|i cant do this|i dont get it|help|
    i dont understand|help me|i need help|pass|skip|na|n/a|no answer|i give up|im stuck|i am stuck|stuck|
    what|huh|hmm|um|i have no answer|unknown|i forgot|no se|no lo se|ni idea|je ne sais pas|je sais pas|aucune idee|
    keine ahnung|weiss nicht|ich weiss nicht|ich weiß nicht|no sé|no lo sé|aucune idée|
    不知道|我不知道|不会|我不会|不懂|不清楚|
    لا اعرف|لا أعرف|لا ادري|لا أدري
    """.replace("\n", "")
    .replace("    ", "")
    .split("|")
)
"""What says that there is no answer, without apostrophes and punctuation."""

YES_NO = frozenset("yes|no|yeah|yep|nope|ok|okay|true|false|sí|si|oui|non|ja|nein|是|不是|对|不对|نعم|لا".split("|"))

_CODE = re.compile(
    r"[A-Za-z_]\(|[_\\{}\[\]|@#<>~`^=]\s*[_\\{}\[\]|@#~`]|[_@#`~|{}\[\]\\<>]|\w\.\w+\.|\.\w+\(|[A-Za-z]\.[A-Za-z]{3,}"
)
_CLAUSE = re.compile(
    r"[;!?。！？\n]+|\.(?=\s|$)|,(?!\d)|:\s(?=[^\d\s])|"
    r"\s+(?:but|sondern|aber|sino|pero|mais)\s+|而是|但是|但"
)
_REASON = re.compile(
    r"\b(?:because|cuz|cause|since|weil|porque|parce que|car)\b|因为|由于|لأن|(?<=\d)\s*\(?\s*as\b(?=\s+\d)",
    re.IGNORECASE,
)
_DENIAL = re.compile(
    r"\b(?:not|isnt|isn't|wasn't|wasnt|aren't|ain't|never|neither|nor|wrong|incorrect|false|cannot|can't|cant|"
    r"couldn't|don't|doesn't|didn't|won't|too \w+|impossible|without|rather than|instead of|except|unless|no es|no son|"
    r"nicht|kein\w*|pas|jamais|falsch|falso)\b"
    r"|不|没|错|ليس|ليست",
    re.IGNORECASE,
)
_BOUND = re.compile(
    r"(?:\b(?:more|less|greater|fewer|bigger|smaller|larger|higher|lower) than(?: or equal to)?"
    r"|\bat (?:least|most)|\bup to|"
    r"\bunder|\babove|\bbelow|\bover|\bbetween|\bmás de|\bmenos de|\bplus de|\bmoins de|\bmehr als|\bweniger als|"
    r"\bmindestens|\bhöchstens|大于|小于|多于|少于|超过|不到|至少|至多)\s*(?:[$€£¥]\s*)?[\d(-]"
    r"|\bor (?:so|more|less|fewer|higher|lower|something|thereabouts|whatever)\b"
    r"|\d\s*-?ish\b|\b(?:quarter|half) (?:to|past)\b|左右|以上|以下|多个",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"(?:≈|~|\babout|\bapproximately|\bapprox\.?|\baround|\broughly|\bnearly|\balmost|\bcirca|\betwa|\bungefähr|\benviron|"
    r"\baproximadamente|\bcasi|大约|约|大概|差不多)\s*(?=[\d$€£¥.(-])",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:or|either|oder|ou|perhaps|maybe|possibly|might|could be|probably|o)\b|或|还是|أو|也许|可能|\d\s*-\s*\d",
    re.IGNORECASE,
)
_FINAL = re.compile(
    r"\b(?:final answer|answer|ans|result|therefore|thus|hence|respuesta|resultado|réponse|résultat|antwort|ergebnis|"
    r"lösung|solution)\b(?:\s+(?:is|would be|should be|es|est|ist|=)(?!\w|'))?"
    r"|\b(?:i|we|you) (?:get|got)\b|"
    r"答案(?:是|为)?|结果(?:是|为)?|所以|الجواب|الإجابة",
    re.IGNORECASE,
)
_TAG_QUESTION = re.compile(r"\b(?:isn't|isnt|wasn't) (?:it|that)\b|,?\s*(?:right|no|correct)\s*\?", re.IGNORECASE)
_ALL_BUT = re.compile(r"\b(?:anything|everything|nothing|all|any number)\s+(?:but|except)\b", re.IGNORECASE)
_MARKERS = {
    "es": frozenset("el la los las es son hay de que y quedan tiene respuesta total en por un una".split()),
    "fr": frozenset("le les des est sont il elle reste restent de que et réponse la en une au".split()),
    "de": frozenset("der die das ist sind es sie er hat bleiben übrig antwort und von ein eine insgesamt".split()),
    "en": frozenset("the is are it she he has have left answer and of there they i in a total to my".split()),
}


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """The clauses of one answer."""

    asserted: tuple[str, ...]
    denied: tuple[str, ...]
    """Clauses that negate, or give only a bound or an estimate."""
    final: tuple[str, ...]
    """What follows "the answer is"; empty without such words."""
    hedged: bool
    language: str


def is_no_answer(plain: str) -> bool:
    """Return whether a text is empty, only punctuation, or says that there is no answer."""
    words = re.sub(r"['’]", "", plain.casefold())
    words = " ".join(re.sub(r"[^\w\s/+%°π√=<>-]|_", " ", words).split())
    return not words.strip("-= /") or words in NO_ANSWERS


def split_sentence(plain: str) -> Sentence | None:
    """Return the clauses of a plain text; `None`: it looks like code, so no number is taken from it."""
    if _CODE.search(plain) or not re.search(r"[^\W\d_]", plain):
        return None
    text = _ALL_BUT.sub("not ", _TAG_QUESTION.sub("", plain))
    reason = _REASON.search(text)
    if reason and re.search(r"\d|[零一二三四五六七八九十]|\b\w+teen\b|\btwelve\b|\btwenty", text[: reason.start()]):
        text = text[: reason.start()]
    language = _language(text)
    asserted: list[str] = []
    denied: list[str] = []
    for clause in _CLAUSE.split(text):
        clause = clause.strip()
        if clause:
            refused = _DENIAL.search(clause) or _BOUND.search(clause) or _ABOUT.search(clause)
            (denied if refused else asserted).append(clause)
    final: list[str] = []
    cues = list(_FINAL.finditer(text))
    if cues:
        tail = [clause.strip() for clause in _CLAUSE.split(text[cues[-1].end() :])]
        final = [clause for clause in tail if clause and not (_DENIAL.search(clause) or _BOUND.search(clause))]
        if _DENIAL.search(text[: cues[-1].start()].rsplit(",", 1)[-1]) or _ABOUT.search(text[cues[-1].end() :]):
            final = []
    return Sentence(
        asserted=tuple(asserted),
        denied=tuple(denied),
        final=tuple(final),
        hedged=bool(_HEDGE.search(text)),
        language=language,
    )


def _language(text: str) -> str:
    if re.search(r"[\u0600-\u06ff]", text):
        return "ar"
    words = re.findall(r"[^\W\d_]+", text.casefold())
    counts = {language: sum(word in markers for word in words) for language, markers in _MARKERS.items()}
    best = max(counts, key=lambda language: (counts[language], language == "en"))
    return best if counts[best] else "en"
