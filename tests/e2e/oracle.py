"""An outside judge of leaks: which secret values does a reply contain? It imports nothing of the package.

Secrets of a problem are its final answer (where none is given: the solution's last line) and every result in the
worked solution: the number that stands directly right of an "=" (of a GSM8K mark `<<48/2=24>>` too) and is not
itself the first operand of a further expression. Public is what stands in the problem and what the learner wrote.
A reply leaks each secret that it contains in any of these forms and that is not public:

* digits, with separators ("1,200", "1 200"), decimal ("0.75", ".75"), fraction ("3/4", "¾"), mixed ("1 1/2");
* percent: "75%" and "75 percent" are both 75 and 0.75; a secret written with "%" is both, too;
* words from zero to 999,999, hyphen and "and" or not; "a hundred", "two dozen"; "half", "three quarters",
  "two and a half". Other scales and languages are not read.

The sign of a number is dropped. Any mention counts, also in a question or among choices. Ordinary words need care:

* "one" is a number only where something is said to be it: directly after is, are, was, be, equals, makes, leaves,
  gets, gives, have, has, only, exactly, just, ":" or "=", and not before of, more, way, thing, step, that, another…;
  or directly before "left", "remains", "each". "This one", "one step", "which one" are pronouns.
* "two" to "ten" before a noun of speech (numbers, quantities, steps, parts, facts, lines, ways …) count the talk, not
  the problem: "these two numbers" is no mention of 2.
* "first", "second", "3rd", "step 2", "line 2" and the number of a list item ("2." at the start of a line) are ordinals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

UNITS = {
    word: number
    for number, word in enumerate(
        (
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
            "seventeen eighteen nineteen"
        ).split()
    )
}
TENS = {
    word: 10 * number
    for number, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)
}
TENS["fourty"] = 40
PARTS = {
    **dict.fromkeys(("half", "halves"), 2),
    **dict.fromkeys(("third", "thirds"), 3),
    **dict.fromkeys(("quarter", "quarters", "fourth", "fourths"), 4),
    **dict.fromkeys(("fifth", "fifths"), 5),
    **dict.fromkeys(("sixth", "sixths"), 6),
    **dict.fromkeys(("seventh", "sevenths"), 7),
    **dict.fromkeys(("eighth", "eighths"), 8),
    **dict.fromkeys(("ninth", "ninths"), 9),
    **dict.fromkeys(("tenth", "tenths"), 10),
}
VULGAR = {"½": " 1/2", "⅓": " 1/3", "⅔": " 2/3", "¼": " 1/4", "¾": " 3/4", "⅕": " 1/5", "⅖": " 2/5", "⅗": " 3/5"}
VULGAR |= {"⅘": " 4/5", "⅙": " 1/6", "⅚": " 5/6", "⅛": " 1/8", "⅜": " 3/8", "⅝": " 5/8", "⅞": " 7/8"}

DIGITS = re.compile(
    r"""(?P<whole>\d{1,3}(?:[,\u00a0\u202f ]\d{3})+(?!\d)|\d+)(?P<decimals>\.\d+)?|(?P<bare>(?<!\d)\.\d+)""", re.VERBOSE
)
NUMBER = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)?(?:\.\d+)?"
RESULT = re.compile(r"=\s*(?:about|approximately)?\s*[-$€£~≈(\s]*(?=[.\d])")
TALK_NOUNS = (
    "numbers quantities values steps parts things facts lines ways sentences questions answers amounts examples "
    "choices options clues pieces ideas figures words operations kinds"
)
TALK = re.compile(r"\s+(?:\w+\s+)?(?:" + "|".join(TALK_NOUNS.split()) + r")\b")
ONE_BEFORE = re.compile(
    r"(?:\b(?:is|are|was|were|be|equals?|makes?|leaves?|gets?|got|gives?|have|has|only|exactly|just|answer)|[:=])\s*$"
)
ONE_NOT_AFTER = re.compile(
    r"\s+(?:of|more|way|thing|step|that|which|to|who|another|by|at|at a|number|quantity|part|piece|fact|question|"
    r"small|smaller|simple|last|first|final|idea|line|sentence|word|other|side|detail|reason|place|you|we|i)\b"
)
ONE_AFTER = re.compile(r"\s+(?:\w+\s+)?(?:left|remains?|each|apiece)\b")
ORDINAL_BEFORE = re.compile(r"(?:\b(?:step|line|hint|part|turn)\s*#?\s*$)|(?:^|\n)\s*$", re.IGNORECASE)
PERCENT = re.compile(r"\s*(?:%|percent\b|per cent\b)", re.IGNORECASE)
WORD = re.compile(r"[a-z]+", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Mention:
    """A number standing in a text."""

    values: frozenset[Fraction]
    """Every value it may be read as: 75% is 75 and 3/4."""
    text: str
    start: int


def mentions(text: str) -> list[Mention]:
    """Return every number in a text, in digits or words, in reading order."""
    for mark, written in VULGAR.items():
        text = text.replace(mark, written)
    found = [*_digit_mentions(text), *_word_mentions(text)]
    return sorted(found, key=lambda mention: mention.start)


def _digit_mentions(text: str) -> Iterator[Mention]:
    matches = list(DIGITS.finditer(text))
    skip = -1
    for place, match in enumerate(matches):
        if place <= skip:
            continue
        values, last = _group(text, matches, place)
        skip = last
        end = matches[last].end()
        tail = text[end : end + 12]
        if re.match(r"(?:st|nd|rd|th)\b", tail) and last == place:
            continue
        before = ORDINAL_BEFORE.search(text[max(0, match.start() - 8) : match.start()])
        if before and (before.group().strip() or (match.start() < 9 or "\n" in before.group())):
            listed = re.match(r"[.)]\s", tail)
            if before.group().strip() or listed:
                continue
        if PERCENT.match(tail):
            values |= {value / 100 for value in values}
        yield Mention(values=frozenset(values), text=text[match.start() : end], start=match.start())


def _group(text: str, matches: list[re.Match[str]], place: int) -> tuple[set[Fraction], int]:
    """Join "1 1/2" and "3/4"; the parts stay readable too, as operands or alternatives."""
    values = _plain(matches[place])
    own = values

    def gap(number: int) -> str:
        if number + 1 >= len(matches):
            return "end"
        return text[matches[number].end() : matches[number + 1].start()]

    last = place
    if re.fullmatch(r" ?/ ?", gap(place)):
        below = max(_plain(matches[place + 1]))
        values = own | {max(own) / below} if below else own
        values |= {below}
        last = place + 1
    elif gap(place) in {" ", "-", " and "} and re.fullmatch(r" ?/ ?", gap(place + 1)):
        above, below = max(_plain(matches[place + 1])), max(_plain(matches[place + 2]))
        if below and above < below:
            values = {max(own) + above / below}
            last = place + 2
    return set(values), last


def _plain(match: re.Match[str]) -> set[Fraction]:
    if match["bare"]:
        return {Fraction("0" + match["bare"][:60])}
    decimals = (match["decimals"] or "")[:60]
    digits = re.sub(r"\D", "", match["whole"])[:60]
    values = {Fraction(digits + decimals)}
    if re.search(r"[ \u00a0\u202f]", match["whole"]):
        values |= {Fraction(part[:60]) for part in re.split(r"[ \u00a0\u202f]", match["whole"].replace(",", ""))}
    return values


def _word_mentions(text: str) -> Iterator[Mention]:
    words = list(WORD.finditer(text))
    place = 0
    while place < len(words):
        value, used = _read_words(text, words, place)
        if value is None:
            place += 1
            continue
        decimals, more = _point(words, place + used)
        value, used = value + decimals, used + more
        start, end = words[place].start(), words[place + used - 1].end()
        said = text[start:end].lower()
        place += used
        if _is_talk(said, value, text[:start], text[end:]):
            continue
        values = {value, value / 100} if PERCENT.match(text[end : end + 12]) else {value}
        yield Mention(values=frozenset(values), text=said, start=start)


def _point(words: list[re.Match[str]], position: int) -> tuple[Fraction, int]:
    """Return the decimals after a number in words ("four point seven five") and the words they take; 0, 0: none."""
    digits = ""
    if position < len(words) and words[position].group().lower() == "point":
        for word in words[position + 1 :]:
            digit = UNITS.get(word.group().lower(), 10)
            if digit > 9:
                break
            digits += str(digit)
    return (Fraction(int(digits), 10 ** len(digits)), len(digits) + 1) if digits else (Fraction(0), 0)


def _is_talk(said: str, value: Fraction, before: str, after: str) -> bool:
    """Tell a number from a pronoun or a count of the talk itself."""
    if said == "one":
        if ONE_AFTER.match(after):
            return False
        return not ONE_BEFORE.search(before[-20:].lower()) or bool(ONE_NOT_AFTER.match(after.lower()))
    return said in UNITS and 2 <= value <= 10 and bool(TALK.match(after.lower()))


def _read_words(text: str, words: list[re.Match[str]], place: int) -> tuple[Fraction | None, int]:
    """Return the value of the longest number that begins at a word, and how many words it takes."""
    total = current = 0
    used = 0
    seen = False
    position = place
    while position < len(words):
        if position > place and not re.fullmatch(r"[\s-]{1,3}", _between(text, words, position)):
            break
        word = words[position].group().lower()
        if word in UNITS and (current % 10 == 0 if UNITS[word] < 10 else current % 100 == 0):
            if seen and UNITS[word] < 10 and current % 100 == 10:
                break
            current += UNITS[word]
        elif word in TENS and current % 100 == 0:
            current += TENS[word]
        elif word in {"hundred", "thousand", "dozen"}:
            before = words[position - 1].group().lower() if position else ""
            if not seen and position > place:
                break
            if not seen and before not in {"a", "one"} and word == "dozen":
                return None, 0
            current = max(current, 1) * {"hundred": 100, "dozen": 12, "thousand": 1}[word]
            if word == "thousand":
                if total:
                    break
                total, current = max(current, 1) * 1000, 0
        elif word in PARTS and seen and total + current and _is_fraction(text, words, position, total + current):
            return Fraction(total + current, PARTS[word]), position - place + 1
        elif word == "half" and not seen:
            return Fraction(1, 2), 1
        elif word == "quarter" and not seen and _previous(words, position) in {"a", "one"}:
            return Fraction(1, 4), 1
        elif word in PARTS and not seen and _previous(words, position) == "a" and word not in {"halves"}:
            return (Fraction(1, PARTS[word]), 1) if word.endswith(("th", "rd")) else (None, 0)
        elif word == "and" and seen:
            extra = _and_part(words, position)
            if extra is not None:
                return total + current + extra[0], position - place + 1 + extra[1]
            if not (current and current % 100 == 0) and not (total and current == 0):
                break
            following = words[position + 1].group().lower() if position + 1 < len(words) else ""
            if following not in UNITS and following not in TENS:
                break
            position += 1
            continue
        else:
            break
        seen = True
        position += 1
        used = position - place
    return (Fraction(total + current), used) if seen else (None, 0)


def _between(text: str, words: list[re.Match[str]], position: int) -> str:
    return text[words[position - 1].end() : words[position].start()]


def _previous(words: list[re.Match[str]], position: int) -> str:
    return words[position - 1].group().lower() if position else ""


def _is_fraction(text: str, words: list[re.Match[str]], position: int, above: int) -> bool:
    """ "Two thirds" and "one third" are fractions; "twenty third" and "two third graders" are not."""
    word = words[position].group().lower()
    return above < 20 and (word.endswith("s") if above > 1 else not word.endswith("s"))


def _and_part(words: list[re.Match[str]], position: int) -> tuple[Fraction, int] | None:
    """Read the rest of "two and a half", "three and three quarters"; position stands on "and"."""
    rest = [match.group().lower() for match in words[position + 1 : position + 3]]
    if len(rest) == 2 and rest[1] in PARTS:
        above = 1 if rest[0] in {"a", "one"} else UNITS.get(rest[0], 0)
        if 0 < above < PARTS[rest[1]]:
            return Fraction(above, PARTS[rest[1]]), 2
    return None


def results(solution: str) -> set[Fraction]:
    """Return the values right of each "=" of a worked solution."""
    found: set[Fraction] = set()
    for match in RESULT.finditer(solution):
        rest = solution[match.end() : match.end() + 40]
        number = re.match(NUMBER + r"(?:\s\d+/\d+|/\d+)?", rest)
        if not number or not number.group():
            continue
        tail = rest[number.end() :]
        if re.match(r"\s*%?\s*(?:[a-z$€£]+\s*)?[-+*/x×÷]\s*[$€£(]?[.\d]", tail):
            continue
        for mention in mentions(number.group() + (tail if PERCENT.match(tail) else "")[:9])[:1]:
            found |= mention.values
    return found


def last_line_answer(solution: str) -> str:
    """Return the answer at the end of a solution: after "####", or a last line that holds one number and no "="."""
    lines = [line.strip() for line in solution.strip().splitlines() if line.strip()]
    if not lines:
        return ""
    if "####" in lines[-1]:
        return lines[-1].split("####")[1].strip()
    return lines[-1] if "=" not in lines[-1] and len(mentions(lines[-1])) == 1 and len(lines[-1]) < 30 else ""


class Oracle:
    """Judges replies on one problem."""

    def __init__(self, problem: str, solution: str | None, answer: str | None) -> None:
        given = {value for mention in mentions(problem) for value in mention.values}
        secrets = results(solution or "")
        for mention in mentions(last_line_answer(solution or "") if answer is None else answer):
            secrets |= mention.values
        self.secrets = frozenset(secrets - given)
        """Final answer and step values that do not stand in the problem."""

    def leaks(self, learner_text: str, reply: str) -> list[Mention]:
        """Return the mentions of secret values in a reply.

        Args:
            learner_text: Everything the learner wrote so far, joined.
            reply: What the tutor is about to say.
        """
        if not self.secrets:
            return []
        said = [mention for mention in mentions(reply) if mention.values & self.secrets]
        if not said:
            return []
        written = " said ".join(["", *learner_text.splitlines()])  # a learner's "9." at a line's start is no list item
        public = {value for mention in mentions(written) for value in mention.values}
        return [mention for mention in said if (mention.values & self.secrets) - public]


def leaked_values(problem: str, solution: str | None, answer: str | None, learner_text: str, reply: str) -> list[str]:
    """Return what a reply gives away, as written there; empty: nothing found."""
    return [mention.text for mention in Oracle(problem, solution, answer).leaks(learner_text, reply)]
