"""Reads one answer: the whole text as mathematics first, then as a sentence that holds exactly one answer."""

from __future__ import annotations

import re
from fractions import Fraction

from preceptor.maths.answer_mathematics import MathematicsReader, operands, results
from preceptor.maths.answer_quantity import same_quantity
from preceptor.maths.answer_reading import Ambiguous, Items, NoAnswer, Quantity, Reading, Several, Unread, Words
from preceptor.maths.answer_sentence import Sentence, is_no_answer, split_sentence
from preceptor.maths.answer_text import plain_text, spoken_to_signs
from preceptor.maths.expression_grammar import LimitError, UnreadError
from preceptor.maths.units import find_unit

_MAX_CANDIDATES = 12
_NAMED = {
    **dict.fromkeys(
        ("∅", "{}", "{ }", "⟦⟧", "empty set", "the empty set", "no solution", "no solutions"), "no solution"
    ),
    **dict.fromkeys(("∞", "inf", "infinity", "+∞", "infinitely many"), "infinity"),
    **dict.fromkeys(("-∞", "-inf", "minus infinity", "negative infinity", "-infinity"), "minus infinity"),
}
"""Answers that are neither a number nor any word."""


class Reader(MathematicsReader):
    """Reads any text a learner may give as an answer."""

    def read(self, text: str) -> Reading:
        """Return what a text says; English number words are tried first.

        It never raises, and takes a few milliseconds at most.
        """
        try:
            plain = plain_text(text)
            special = _NAMED.get(plain.strip(" .!").casefold())
            if special:
                return Words(text=special)
            if is_no_answer(plain):
                return NoAnswer(reason="There is no answer in it.")
            return self._read_plain(plain)
        except UnreadError as error:
            return Unread(reason=str(error))
        except RecursionError:
            return Unread(reason="That is nested too deep for me.")

    def _read_plain(self, plain: str) -> Reading:
        bold = re.fullmatch(r"(\*\*|__)([^*_]+)\1", plain)
        plain = bold[2] if bold else plain
        trimmed = plain.strip().rstrip(".;,。!！?？ ") if not re.search(r"\d!\s*$", plain) else plain
        trimmed = trimmed.strip('"“”').strip("'") or plain
        failure: UnreadError | None = None
        tried: set[str] = set()
        for language in ("en", "es", "fr", "de", "ar"):
            written = spoken_to_signs(trimmed, language)
            if written in tried:
                continue
            tried.add(written)
            try:
                return self.mathematics(written)
            except LimitError as error:
                return Unread(reason=str(error))
            except UnreadError as error:
                failure = failure or error
        return self._sentence(plain, failure or UnreadError("I could not read that as a number."))

    def _sentence(self, plain: str, failure: UnreadError) -> Reading:
        sentence = split_sentence(plain)
        if sentence is None:
            return Unread(reason=str(failure))
        return self._read_sentence(sentence, plain, failure)

    def _read_sentence(self, sentence: Sentence, plain: str, failure: UnreadError) -> Reading:
        asserted = self._candidates(sentence.asserted, sentence.language)
        denied = self._candidates(sentence.denied, sentence.language)
        if sentence.final and len(final := self._candidates(sentence.final, sentence.language)) == 1:
            if not sentence.hedged:
                return final[0]
        distinct: list[Quantity] = []
        for candidate in asserted:
            if not any(same_quantity(candidate, other) for other in distinct):
                distinct.append(candidate)
        if len(distinct) == 1 and _misses_result(plain, distinct[0]):
            return Unread(reason="I could not read the equation in it. Please write only the answer.")
        if len(distinct) == 1 and not (sentence.hedged and len(asserted) > 1):
            return distinct[0]
        if len(distinct) > 1 and sentence.hedged:
            return Several(items=tuple(distinct))
        if len(distinct) > 1:
            shown = ", ".join(dict.fromkeys(item.text.strip() for item in distinct))
            return Unread(reason=f"I found more than one number: {shown}. Which one is your answer?")
        if denied:
            return NoAnswer(reason="That says what the answer is not, and not what it is.")
        words = re.sub(r"[^\w\s'-]", "", plain).strip().casefold()
        if words and not re.search(r"\d", words) and len(words.split()) <= 6 and not re.search(r"[_\\]", plain):
            return Words(text=words)
        return Unread(reason=str(failure))

    def _candidates(self, clauses: tuple[str, ...], language: str) -> list[Quantity]:
        """Return the values stated in these clauses; a result that a later equation goes on with is not one."""
        found: list[tuple[Quantity, frozenset[Fraction]]] = []
        for clause in clauses:
            text = spoken_to_signs(clause, language, sentence=True)
            for run in _math_runs(text):
                if len(found) > _MAX_CANDIDATES:
                    break
                try:
                    values = _values(self.mathematics(run))
                except UnreadError:
                    continue
                found += [(value, operands(run)) for value in values]
        return results(found)


_RESULT = re.compile(r"=\s*[^\d=]{0,3}(\d[\d,]*(?:\.\d+)?)")


def _misses_result(plain: str, candidate: Quantity) -> bool:
    """Return whether a sentence's last equation ends in another number than the one found."""
    ends = _RESULT.findall(plain)
    value = None if candidate.exact is None else candidate.exact.as_fraction()
    return bool(ends) and value is not None and abs(value) != Fraction(ends[-1].replace(",", ""))


_RUN = re.compile(
    r"(?:[A-Za-z]\s*=\s*)?(?:US\$|[$€£¥₹])?[-+]?(?:US\$|[$€£¥₹])?\s?(?:\d|\.\d|\(|sqrt)"
    r"(?:[\d.,/*^()+%=:$€£¥₹°'-]|\s(?=[\d+*/^=()$%-])|sqrt|pi|π|\b[xX]\b(?=\s*\d))*"
)
_AFTER = re.compile(r"\s*([^\W\d_]+\.?(?:\s*/\s*[^\W\d_]+|\s+(?:per|an?)\s+[^\W\d_]+|\s+[^\W\d_]+)?)")


def _math_runs(text: str) -> list[str]:
    """Return the stretches of a clause that look like mathematics, each with the unit or noun after it."""
    runs: list[str] = []
    for match in _RUN.finditer(text):
        run = match[0].strip().rstrip(".,:=+*/(-")
        before, behind = text[: match.start()], text[match.end() :]
        glued = bool(re.search(r"[A-Za-z_]$", before)) and not match[0][0].isspace()
        glued |= bool(re.match(r"[A-Za-z_]+\d", behind)) and not match[0][-1].isspace()
        glued |= bool(re.search(r"[-+*/^=(]\s*$", match[0]) and re.match(r"\s*[A-Za-z]", behind))
        if not re.search(r"\d", run) or glued:
            continue
        after = _AFTER.match(text, match.end()) if match[0].strip() == run else None
        words = after[1].split() if after else []
        unit = next((" ".join(words[:size]) for size in (3, 2, 1) if find_unit(" ".join(words[:size]))), "")
        if unit and len(unit) > 2 or (unit and unit not in {"in", "a", "s", "d"}):
            run = f"{run} {unit}"
        runs.append(run)
    return runs


def _values(reading: Reading) -> list[Quantity]:
    match reading:
        case Quantity():
            return [reading]
        case Items(items=items) | Several(items=items):
            return list(items)
        case Ambiguous(options=options):
            return [value for option in options for value in _values(option)]
    return []
