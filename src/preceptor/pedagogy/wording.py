"""Words for quantities: what a step of the worked solution counts, said without its value.

Everything here is taken from the problem's and the solution's own sentences; numbers that the learner has
not reached never pass through, because any digit or number word ends the phrase.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction

from preceptor.domain.claim import Operand
from preceptor.maths.numerals import format_number
from preceptor.maths.step_graph import StepGraph, StepNode

_MARK = re.compile(r"<<[^<>]*>>")
_NUMBER_WORD = re.compile(
    r"\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen"
    r"|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|half|halves"
    r"|third|thirds|quarter|quarters|fourth|fifth|twice|double|dozen|once|single|both|pair)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?(?:/\d+)?")
_STOP = re.compile(
    r"[.;:!?\n(=]|,|\b(?:because|since|so|which|and|but|if|when|then|as|that|from|than|after|before|while|therefore"
    r"|is|are|was|were|has|have|had|will|would|can|could|to make|to get|by|who|during|each of|eat|eats|need|needs"
    r"|take|takes|make|makes|get|gets|bring|brings|did|does|do)\b",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"^(?:so|then|thus|therefore|hence|next|first|now|finally|this means(?: that)?|that means(?: that)?|since|if|and"
    r"|in total|altogether|we know(?: that)?|we can(?: say)?(?: that)?|,|\s)+",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"^(?P<what>(?:the|his|her|their|its|each|every|a|an|\w+'s|\w+’s)\s[^=:]{2,70}?)\s+"
    r"(?:is|was|will be|would be|equals?|comes? to)\s*\W*$",
    re.IGNORECASE,
)
_HEAD_STOP = re.compile(
    r"[.;:,!?\n()=]|\b(?:so|that's|because|since|which|but|if|when|then|thus|therefore|hence|as|means)\b",
    re.IGNORECASE,
)
_NO_AMOUNT = re.compile(r"^(?:then )?there (?:are|is|was|were)$", re.IGNORECASE)
"""Makes no question with "how much" behind it."""
_ONE_THING = re.compile(r"^one (?=[a-z])", re.IGNORECASE)
_CALCULATION_END = re.compile(
    r"(?:[\d(][\d\s.,+\-*/x×÷()$%=]*(?:[a-z]+(?:/[a-z]+)?\s*(?=[-+*/x×÷=$]|$))?|[-+*/×÷=$:(]|\sx)\s*$"
)
_OPEN_END = {
    "in",
    "by",
    "for",
    "the",
    "his",
    "her",
    "their",
    "its",
    "another",
    "a",
    "an",
    "and",
    "on",
    "with",
    "than",
    "of the",
}
_LOWER_START = {
    *("the", "his", "her", "their", "its", "each", "every", "a", "an", "one", "he", "she", "they", "it", "there"),
    *("this", "these", "that", "those", "all", "in", "on", "at", "for", "from", "with", "during", "after", "before"),
    *("together", "to", "you", "we"),
}
_QUESTION_START = {
    "how",
    "what",
    "which",
    "who",
    "where",
    "when",
    "is",
    "are",
    "was",
    "were",
    "does",
    "do",
    "did",
    "then",
}
_IMPERATIVE = re.compile(r"^(?:find|calculate|determine|compute|work out|how|what)\b", re.IGNORECASE)
_TRAILING = {
    "of",
    "in",
    "for",
    "to",
    "per",
    "at",
    "on",
    "with",
    "a",
    "an",
    "the",
    "each",
    "every",
    "other",
    "total",
    "more",
}
_SENTENCE = re.compile(r"[^.!?。！？]*(?:[.!?](?=\d)[^.!?。！？]*)*(?:[.!?。！？]+[\"”’']?|$)")
_BAD_START = re.compile(
    r"^(?:of|in|for|to|per|at|on|with|each|every|total|left|more|less|a|an|the|x|times)\b", re.IGNORECASE
)
_ABBREVIATION = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|St|vs|approx|[ap]|[ap]\.? ?m)\.$", re.IGNORECASE)
"""A point that ends no sentence. "a.m." may end one; then two sentences stay together."""
_CJK = re.compile(r"[\u3400-\u9fff]")
MAX_WORDS = 9
MAX_QUOTE = 170


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What one step asks for, as a question without its final mark: "how many duck eggs a day"."""

    question: str
    specific: bool
    """It names a thing of this problem."""


def sentences_of(text: str) -> tuple[str, ...]:
    """Split a text into sentences; line ends split, decimal points do not."""
    found: list[str] = []
    for line in text.splitlines():
        begun = len(found)
        for part in (match.group().strip() for match in _SENTENCE.finditer(line)):
            if part and len(found) > begun and _ABBREVIATION.search(found[-1]):
                found[-1] += part if part[0] == "m" and found[-1][-2:] in ("a.", "p.") else f" {part}"
            elif part:
                found.append(part)
    return tuple(found)


def written_lines(text: str) -> tuple[str, ...]:
    """Return a learner's own lines: what they wrote on separate lines, else sentence by sentence."""
    lines = tuple(line.strip() for line in text.splitlines() if line.strip())
    return lines if len(lines) > 1 else sentences_of(text)


def goal_of(problem_text: str) -> str | None:
    """Return the problem's own question, one sentence, or `None` where it has none."""
    asked = [part for part in sentences_of(problem_text) if part.endswith(("?", "？"))]
    if not asked:
        asked = [part for part in sentences_of(problem_text) if _IMPERATIVE.match(part)]
    balanced = [part for part in asked if part.count("(") == part.count(")")]
    return balanced[-1] if balanced else None


def quote_for(problem_text: str, given: Operand) -> str | None:
    """Return the problem's sentence in which a given quantity stands, shortened at a comma where it is long."""
    for sentence in sentences_of(problem_text):
        if given.text and given.text.lower() in sentence.lower() and not sentence.endswith(("?", "？")):
            return shorten(sentence, given.text)
    return None


def shorten(sentence: str, around: str) -> str:
    """Return at most MAX_QUOTE characters of a sentence, cut at commas, keeping `around`."""
    if len(sentence) <= MAX_QUOTE:
        return sentence.rstrip(".。 ")
    pieces = re.split(r"(?<=[,;，；])\s*", sentence)
    for piece in pieces:
        if around.lower() in piece.lower() and len(piece) <= MAX_QUOTE:
            return piece.rstrip(",;，；.。 ")
    place = max(sentence.lower().find(around.lower()), 0)
    start = sentence.rfind(" ", 0, max(place - 60, 0)) + 1
    return sentence[start : start + MAX_QUOTE].rsplit(" ", 1)[0]


def wanted(graph: StepGraph, node: StepNode, problem_text: str) -> Wanted | None:
    """Say what a step counts, without its value; `None` where the solution gives no usable words.

    The last step is asked for in the problem's own words.
    """
    if node.index == graph.answer_node:
        goal = goal_of(problem_text)
        if goal is not None and len(goal) <= MAX_QUOTE:
            return Wanted(question=goal.rstrip("?？ "), specific=True)
    if _CJK.search(problem_text):
        return None
    text = _MARK.sub("", node.text)
    tail, before = _around(text, node.value)
    money = _is_money(text, node)
    thing = f"how many {tail}" if tail and not money and not _BAD_START.match(tail) else "how much" if money else ""
    subject = _subject(before)
    if subject and not (tail and not money):
        return Wanted(question=f"{'how much' if money else 'what'} is {subject}", specific=True)
    head = _head(before, {given.value for given in graph.givens})
    if head and thing and not (money and _NO_AMOUNT.match(head)):
        return Wanted(question=f"{head} {thing}", specific=True)
    if tail and not _BAD_START.match(tail):
        return Wanted(question=f"how many {tail}", specific=True)
    if node.noun and not _NUMBER_WORD.search(node.noun):
        return Wanted(question=f"how many {plural(node.noun)} that makes", specific=True)
    if node.unit and not money:
        return Wanted(question=f"how many {node.unit} that makes", specific=True)
    return None


def _is_money(text: str, node: StepNode) -> bool:
    return (
        bool(node.unit and node.unit.lower() in {"$", "dollar", "dollars", "usd", "cent", "cents", "€", "£"})
        or "$" in text
    )


def _around(text: str, value: Fraction) -> tuple[str | None, str]:
    """Return the words after the last place where the value stands, free of numbers, and the text before them."""
    places = [found for found in _NUMBER.finditer(text) if _same(found.group(), value)]
    if not places:
        return None, ""
    rest = text[places[-1].end() :].lstrip(" %")
    stop = _STOP.search(rest)
    words = (rest[: stop.start()] if stop else rest).split()
    kept: list[str] = []
    for word in words[:MAX_WORDS]:
        if not word[0].isalpha() or _NUMBER.search(word) or _NUMBER_WORD.search(word) or word in {"x", "/"}:
            break
        kept.append(word)
    while kept and kept[-1].lower() in _TRAILING:
        kept.pop()
    phrase = " ".join(kept).strip(" '\"*-–")
    return (phrase if re.search(r"[A-Za-z]{2}", phrase) else None), text[: places[-1].start()]


def _head(before: str, given: Collection[Fraction]) -> str | None:
    """Return the clause that the calculation completes: "the collar takes" of "The collar takes 900 / 10 =".

    With the question word after it, it makes an echo question: "the collar takes how many stitches". A number in it
    must be one of the text's ("4 metres are"), or the one of "one part is".
    """
    clause = before.rstrip()
    while found := _CALCULATION_END.search(clause):
        clause = clause[: found.start()].rstrip()
    head = _LEADING.sub("", _HEAD_STOP.split(clause)[-1].strip())
    words = head.split()
    counted = _ONE_THING.sub("", head)
    numbers = _NUMBER.findall(head)
    if not 2 <= len(words) <= MAX_WORDS + 3 or _NUMBER_WORD.search(counted):
        return None
    if numbers and not (len(words) > 2 and all(any(_same(one, value) for value in given) for one in numbers)):
        return None
    if words[-1].lower() in _OPEN_END or words[0].lower() in {"or", "nor", "of", "than", "find", "add", "divide"}:
        return None
    return head[0].lower() + head[1:] if words[0].lower() in _LOWER_START else head


def inside_a_sentence(question: str) -> str:
    """Return a question as it stands after a colon: small where its first word is a common one, a name as it is."""
    first = question.split()[0].lower().rstrip(",") if question.split() else ""
    return question[0].lower() + question[1:] if first in _LOWER_START | _QUESTION_START else question


def _subject(before: str) -> str | None:
    start = re.search(r"[\d$(]", before)
    clause = _LEADING.sub("", before[: start.start()] if start else before)
    found = _SUBJECT.match(clause.rstrip(" =$"))
    if not found:
        return None
    what = found.group("what").strip()
    if _NUMBER.search(what) or _NUMBER_WORD.search(what) or len(what.split()) > MAX_WORDS:
        return None
    capital = what.split()[0].lower() not in {"the", "his", "her", "their", "its", "each", "every", "a", "an"}
    return what if capital else what[0].lower() + what[1:]


def _same(text: str, value: Fraction) -> bool:
    try:
        if "/" in text:
            return Fraction(text.replace(",", "")) == value
        return Fraction(text.replace(",", "").rstrip(".")) == value
    except (ValueError, ZeroDivisionError):
        return False


_IRREGULAR = {
    **{"child": "children", "person": "people", "man": "men", "woman": "women", "foot": "feet", "tooth": "teeth"},
    **{"mouse": "mice", "goose": "geese", "sheep": "sheep", "fish": "fish", "deer": "deer", "dice": "dice"},
    **{"loaf": "loaves", "half": "halves", "shelf": "shelves", "knife": "knives", "leaf": "leaves", "wolf": "wolves"},
    **{"wife": "wives", "life": "lives", "calf": "calves", "scarf": "scarves", "potato": "potatoes", "hero": "heroes"},
    **{"tomato": "tomatoes", "series": "series", "money": "money", "water": "water", "milk": "milk", "rice": "rice"},
}
_UNIT_WORDS = {
    **{"s": "second", "min": "minute", "h": "hour", "d": "day", "wk": "week", "mo": "month", "yr": "year", "¢": "cent"},
    **{"lb": "pound", "oz": "ounce", "mi": "mile", "yd": "yard", "gal": "gallon", "qt": "quart", "pt": "pint"},
}
"""Unit symbols that a learner reads more easily as words."""
_CHINESE_UNITS = {
    **{"s": "秒", "min": "分钟", "h": "小时", "d": "天", "wk": "周", "mo": "个月", "yr": "年", "¥": "元", "CNY": "元"},
    **{
        "km": "千米",
        "m": "米",
        "cm": "厘米",
        "mm": "毫米",
        "kg": "千克",
        "g": "克",
        "t": "吨",
        "L": "升",
        "mL": "毫升",
    },
    **{"m^2": "平方米", "cm^2": "平方厘米", "m^3": "立方米", "cm^3": "立方厘米"},
}


def plural(noun: str) -> str:
    """Return a noun's usual English plural; of several words the last is changed."""
    *before, last = noun.split(" ") if noun else [""]
    if last in _IRREGULAR:
        last = _IRREGULAR[last]
    elif re.search(r"(?:ss|us|ch|sh|x|z)$", last):
        last += "es"
    elif re.search(r"[^aeiou]y$", last):
        last = last[:-1] + "ies"
    elif last and not last.endswith("s"):
        last += "s"
    return " ".join([*before, last])


def with_noun(value: Fraction, *, unit: str | None, noun: str | None, language: str = "en") -> str:
    """Return a value with the thing it counts: "18 boxes", "$12", "3 km"."""
    number = format_number(value, language)
    if unit in {"$", "dollar", "dollars", "USD"}:
        return f"${number}"
    if unit == "%":
        return f"{number}%"
    if unit and language.startswith("zh"):
        return f"{number} {_CHINESE_UNITS.get(unit, unit)}"
    if unit:
        word = _UNIT_WORDS.get(unit, unit) if language == "en" else unit
        is_word = (
            language == "en" and word.isascii() and word.isalpha() and (len(word) > 3 or word == "day" or word == "cup")
        )
        return f"{number} {plural(word) if is_word and value != 1 else word}".replace("^2", "²").replace("^3", "³")
    if noun and language == "en":
        return f"{number} {noun if value == 1 else plural(noun)}"
    return number
