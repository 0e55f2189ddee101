"""The words around a value: is it asserted as the answer, quoted from the learner, denied, or only asked about?"""

from __future__ import annotations

import re

_FILLER = r"(?:\s+(?:actually|really|just|exactly|only|simply|in fact|then|indeed|about|now|going to be|equal to)){0,2}"
_OPEN = r"[\s*_$€£(\"'“:]*$"
_ANSWER_NOUN = (
    r"(?:answer|result|solution|final (?:number|value|amount|total)|respuesta|resultado|solución|réponse|résultat"
    r"|antwort|ergebnis|lösung|الجواب|الإجابة|النتيجة|答案|结果)"
)
_IS = (
    r"(?:is|are|was|be|equals?|comes? (?:out )?(?:to|as)|works out (?:to|as)|es|est|ist|lautet|beträgt|هو|هي|是|为|=|:)"
)
_ANSWER_IS = re.compile(rf"{_ANSWER_NOUN}(?:[^.?!\n]{{0,40}}?)\s*{_IS}{_FILLER}{_OPEN}", re.IGNORECASE)
_GIVES = re.compile(
    r"(?:\bshould (?:be|get|have|equal|come to)|\bmust be|\bgives?(?: you| us)?|\bmakes?|\b(?:you|we)(?:'ll| will"
    r"| should)? (?:get|end up with|arrive at|have left)|\bis actually|\bwould be|\bequals?|\bleaves?(?: you| us)?"
    rf"|\bit(?:'s| is)|\bthat(?:'s| is)|\bwhich is|\bleaving|\bgiving|\bmaking|=){_FILLER}{_OPEN}",
    re.IGNORECASE,
)
_CALLED_RIGHT = re.compile(
    r"^[^.?!\n,;]{0,24}?\s*(?:is|was|are)\s+(?:(?:indeed|absolutely|exactly|the|your|our|in fact)\s+)*"
    r"(?:right|correct|answer|solution|final|what you (?:want|need)|it\b)",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"\b(?:you (?:said|say|think|thought|got|wrote|found|have|had|gave|came up)"
    r"|your (?:\w+ )?(?:answer|result|solution|total)|(?:not|n't|never|isn't|than|if|whether|why|how)\b)"
    r"[^.!?\n]{0,30}$",
    re.IGNORECASE,
)
_OPERATOR = re.compile(r"\s?[-+*/×÷]\s?[$(]?\d|\s(?:plus|minus|times|divided)\b")
_TAG = re.compile(
    r"(?:,|\bso)\s*(?:right|correct|ok(?:ay)?|yes|isn't it|don't you think|agreed|see|no)\s*\?", re.IGNORECASE
)
_PRAISED = re.compile(
    r"(?:^|[.!?\n]\s*)(?:yes|yep|correct|exactly|right|perfect|great|well done|that's right|you(?:'re| are) right"
    r"|good(?: job| work)?|excellent)\b[^.?!\d]{0,24}$",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\b(?:not|isn't|n't|but|however|almost|close|except|although|check|yet)\b", re.IGNORECASE)
_LETTER_CUE = r"(?:answer|option|choice|choose|pick|select|letter)\b[^.?!\n]{0,20}?\(?"


_WINDOW = 300
"""Characters looked at before and after a value: keeps the time linear in a hostile reply."""


def _sentence(text: str, start: int, end: int) -> tuple[str, str]:
    """Return the parts of the sentence before and after a span; a point between digits ends none."""
    before = re.split(r"(?<=[?!])\s|(?<=\.)\s|\n|[。？！]", text[max(0, start - _WINDOW) : start])[-1]
    after = re.split(r"(?<=[?!])(?:\s|$)|(?<=\.)(?:\s|$)|\n|(?<=[。？！])", text[end : end + _WINDOW])[0]
    return before, after


def is_answer_slot(text: str, start: int) -> bool:
    """Tell whether what begins here is said to be the answer: "the answer is …"."""
    before, _ = _sentence(text, start, start)
    return bool(_ANSWER_IS.search(before)) and not _QUOTED.search(before)


def asserted_as_answer(text: str, start: int, end: int) -> bool:
    """Tell whether a public value is stated as a result ("that gives 20", "20 is correct"), not asked or quoted."""
    before, after = _sentence(text, start, end)
    if _OPERATOR.match(after):
        return False
    asks = after.rstrip().endswith(("?", "？")) and not _TAG.search(after)
    if _QUOTED.search(before):
        return False
    if _ANSWER_IS.search(before):
        return True
    if asks:
        return False
    return bool(_GIVES.search(before) or _CALLED_RIGHT.match(after))


def stated_answers(text: str, start: int, end: int) -> bool:
    """Tell whether a value is stated, in so many words, to be the answer."""
    before, after = _sentence(text, start, end)
    if after.rstrip().endswith("?") or _QUOTED.search(before) or _DENIED.search(after):
        return False
    return bool(re.search(rf"\b(?:the|correct|right|final)\s+(?:\w+\s+)?{_ANSWER_IS.pattern}", before, re.IGNORECASE))


def endorsed(text: str, start: int, end: int) -> bool:
    """Tell whether the learner's value is called right: "47 is correct", "Yes, 47!"."""
    before, after = _sentence(text, start, end)
    if after.rstrip().endswith("?") or _DENIED.search(before) or _DENIED.search(after):
        return False
    return bool(_CALLED_RIGHT.match(after) or _PRAISED.search(before))


def asserts_words(text: str, answer: str, *, known: str) -> tuple[int, int] | None:
    """Return where a reply gives away an answer in words, else `None`.

    Args:
        text: The reply.
        answer: Lower case: "hexagon", "yes", "b", "3:20", "2x + 3".
        known: Problem and learner text; an answer that stands there must be asserted to leak.
    """
    if answer in {"yes", "no", "true", "false"}:
        return _asserts_verdict(text, answer)
    if len(answer) == 1 and answer.isalpha() and answer.isascii():
        match = re.search(rf"{_LETTER_CUE}(?<!\w)({answer})(?!\w)", text, re.IGNORECASE)
        return match.span(1) if match else None
    pattern = r"\s*".join(re.escape(part) for part in re.findall(r"\w+|[^\w\s]", answer))
    found = re.compile(rf"(?<!\w){pattern}(?:e?s)?(?!\w)", re.IGNORECASE)
    new = not found.search(known)
    for match in found.finditer(text):
        if new or asserted_as_answer(text, *match.span()):
            return match.span()
    return None


def _asserts_verdict(text: str, answer: str) -> tuple[int, int] | None:
    other = {"yes": "no", "no": "yes", "true": "false", "false": "true"}[answer]
    for match in re.finditer(rf"\b(?:(?P<same>{answer})|(?P<other>{other}))\b", text, re.IGNORECASE):
        before, after = _sentence(text, *match.span())
        if match["same"] and (
            _ANSWER_IS.search(before)
            or (
                not before.strip()
                and re.match(r"[,.!]?\s+(?:it|they|he|she|there|we|you) (?:is|are|does|do|can|will|has|have)\b", after)
            )
        ):
            return match.span()
        if match["other"] and re.search(
            rf"{_ANSWER_NOUN}[^.?!]{{0,20}}\b(?:isn't|is not|cannot be|can't be)\W+$", before
        ):
            return match.span()
    return None
