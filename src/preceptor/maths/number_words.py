"""Number words of five languages, read to exact fractions: "two hundred and five", "trois quarts", "fünfundzwanzig".

One accumulator serves all tables of `number_lexicon`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from preceptor.maths.number_lexicon import AR, DE, EN, FR, LEXICONS, Lexicon, plain_word

_ARABIC_HUNDRED = (plain_word("مائة"), plain_word("مئة"))
_NUMERIC = re.compile(r"\d{1,3}(?:,\d{3}){1,19}(?:\.\d{1,60})?|\d{1,60}(?:\.\d{1,60})?")
_LONGEST = 24


def read_number_words(words: Sequence[str], language: str = "en") -> tuple[Fraction, int] | None:
    """Return the number that starts at the first of these words, and how many words it takes; `None`: none does.

    Args:
        words: Words in reading order, in any case, with or without accents; "twenty-five" may be one word.
            The first may be written in digits where a scale or fraction follows: ["2", "million"].
        language: en, es, fr, de or ar; another language is read as English.

    "a" is 1 only before a scale or a fraction ("a dozen", "a third"). Ordinals, "double" and "once" are no numbers;
    "third" alone is not 1/3, "half" alone is 1/2. Two numbers in a row are not joined: ["one", "two"] gives 1.
    """
    lexicon = LEXICONS.get(language, EN)
    parts: list[str] = []
    ends: list[int] = []
    for place, word in enumerate(words[:_LONGEST]):
        pieces = _split(plain_word(word), lexicon, language)
        if not _belongs(pieces[0], lexicon):
            break
        parts += pieces
        ends += [0] * (len(pieces) - 1) + [place + 1]
    found = _Reader(parts, lexicon).read()
    if found is None:
        return None
    value, n_parts = found
    consumed = ends[n_parts - 1]
    return (value, consumed) if consumed else None


def _split(word: str, lexicon: Lexicon, language: str) -> list[str]:
    """Cut a written-together number into its words; a word that is none stays whole."""
    if _NUMERIC.fullmatch(word):
        return [word]
    if (
        language == "ar"
        and len(word) > 2
        and word[0] == "و"
        and _known(word[1:], lexicon)
        and word not in lexicon.small
    ):
        return ["و", *_split(word[1:], lexicon, language)]
    if language == "ar" and word not in lexicon.small and len(word) > 5 and word.endswith(_ARABIC_HUNDRED):
        head = word.removesuffix(_ARABIC_HUNDRED[0]).removesuffix(_ARABIC_HUNDRED[1])
        return [head, _ARABIC_HUNDRED[1]] if head in lexicon.small else [word]
    if language == "ar" and word.startswith("ال") and _known(word[2:], lexicon):
        return [word[2:]]
    if "-" in word and len(word) < 60:
        pieces = [piece for piece in word.split("-") if piece]
        if pieces and all(_known(piece, lexicon) or piece in lexicon.joins for piece in pieces):
            return pieces
        return [word]
    if language == "de" and len(word) < 80 and not _known(word, lexicon):
        return _split_german(word) or [word]
    return [word]


def _belongs(piece: str, lexicon: Lexicon) -> bool:
    if _known(piece, lexicon) or piece in lexicon.joins or piece in lexicon.articles or piece in lexicon.point:
        return True
    return bool(_NUMERIC.fullmatch(piece))


def _known(word: str, lexicon: Lexicon) -> bool:
    return word in lexicon.small or word in lexicon.scales or word in lexicon.fractions


_GERMAN_PIECE = re.compile(
    "|".join(
        sorted(
            {*DE.small, *DE.scales, *DE.fractions, "und"} - {"eine", "einen", "einem", "einer"},
            key=len,
            reverse=True,
        )
    )
)


def _split_german(word: str) -> list[str]:
    """Cut "zweihundertfünfundzwanzig" from the left, longest piece first; empty if it is no number."""
    if word.endswith("einhalb") and len(word) > 7:
        head = word.removesuffix("einhalb").removesuffix("und")
        pieces = [head] if head in DE.small else _split_german(head)
        return [*pieces, "und", "ein", "halb"] if pieces else []
    pieces = []
    while word:
        piece = _GERMAN_PIECE.match(word)
        if piece is None:
            return []
        pieces.append(piece[0])
        word = word[piece.end() :]
    return pieces


class _Reader:
    """One pass over the parts; stops where the next part cannot belong to the same number."""

    def __init__(self, parts: list[str], lexicon: Lexicon) -> None:
        self.parts, self.lexicon, self.place = parts, lexicon, 0

    def _at(self, offset: int = 0) -> str:
        place = self.place + offset
        return self.parts[place] if place < len(self.parts) else ""

    def read(self) -> tuple[Fraction, int] | None:
        lexicon = self.lexicon
        if self._at() in lexicon.alone and self._at() not in lexicon.small:
            return self._half()
        if self._at() in lexicon.articles:
            if self._at(1) in lexicon.fractions:
                return Fraction(1, lexicon.fractions[self._at(1)]), 2
            if self._at(1) not in lexicon.scales and self._at() not in lexicon.small:
                return None
        start_value = self._start()
        if start_value is None:
            return None
        value, bare_digits = start_value
        value, found = self._tail(value)
        return (value, self.place) if found or not bare_digits else None

    def _half(self) -> tuple[Fraction, int]:
        """Read "half", "half a dozen", "half of a million"; else the bare fraction."""
        value = Fraction(1, self.lexicon.fractions[self._at()])
        offset = 1
        if self._at(offset) in self.lexicon.articles:
            offset += 1
        if self._at(offset) in self.lexicon.scales:
            return value * self.lexicon.scales[self._at(offset)], offset + 1
        return value, 1

    def _start(self) -> tuple[Fraction, bool] | None:
        word = self._at()
        if _NUMERIC.fullmatch(word):
            self.place += 1
            value = Fraction(word.replace(",", ""))
            scaled = False
            while self._at() in self.lexicon.scales:
                value *= self.lexicon.scales[self._at()]
                self.place += 1
                scaled = True
            return value, not scaled
        whole = self._whole()
        return None if whole is None else (Fraction(whole), False)

    def _whole(self) -> int | None:
        """Sum small words and scales while each fits below the one before it."""
        total, group, room, previous_scale, seen = 0, 0, 10**4, 10**15, False
        while self.place < len(self.parts):
            word, skipped = self._at(), 0
            if seen and word in self.lexicon.joins and self._parts_after_join() is not None:
                break
            if seen and word in self.lexicon.joins and self._at(1) in self.lexicon.small:
                word, skipped = self._at(1), 1
            if word in self.lexicon.scales and not skipped:
                scale = self.lexicon.scales[word]
                if scale >= previous_scale or (group == 0 and (total or (seen and not total))):
                    break
                if scale == 100:
                    if group >= 100:
                        break
                    group, room = (group or 1) * 100, 100
                else:
                    total, group, room, previous_scale = total + (group or 1) * scale, 0, 10**4, scale
            elif word in self.lexicon.articles and not seen and self._at(1) in self.lexicon.scales:
                group, room = 1, 1
            elif word in self.lexicon.small:
                value = self.lexicon.small[word]
                merged = self._merge(group, value, room, joined=bool(skipped), total=total)
                if merged is None:
                    break
                group, room = merged
            else:
                break
            seen = True
            self.place += 1 + skipped
        return total + group if seen else None

    def _merge(self, group: int, value: int, room: int, *, joined: bool, total: int) -> tuple[int, int] | None:
        """Add one small word to the group; `None`: it starts another number."""
        lexicon, last = self.lexicon, group % 100
        if lexicon is FR and last == 4 and value == 20 and not joined:
            return group - 4 + 80, 20
        if lexicon is FR and last in {60, 80} and 0 < value < 20:
            return group + value, 10 if value == 10 else 1
        if lexicon is FR and last in {10, 70, 90} and 7 <= value <= 9 and room == 10:
            return group + value, 1
        if lexicon in (DE, AR) and joined and 0 < group % 10 == last and value in range(20, 100, 10):
            return group + value, 1
        if lexicon is AR and 0 < last < 10 and value == 10 and not joined:
            return group + 10, 1
        if joined and lexicon is EN and not (group >= 100 and last == 0 or (group == 0 and total)):
            return None
        if value >= room or (value == 0 and (group or total)):
            return None
        return group + value, _room_after(value, french=lexicon is FR)

    def _tail(self, value: Fraction) -> tuple[Fraction, bool]:
        """Add what may follow a whole number: a fraction, "and a half", "point five"."""
        lexicon = self.lexicon
        if self._at() in lexicon.fractions and value.denominator == 1 and value > 0:
            denominator = lexicon.fractions[self._at()]
            self.place += 1
            return value / denominator, True
        if self._at() in lexicon.point and self._at(1) in lexicon.small and lexicon.small[self._at(1)] < 10:
            return self._decimals(value), True
        if self._at() in lexicon.joins:
            return self._joined_fraction(value)
        return value, False

    def _decimals(self, value: Fraction) -> Fraction:
        self.place += 1
        digits = ""
        while self.lexicon.small.get(self._at(), 10) < 10:
            digits += str(self.lexicon.small[self._at()])
            self.place += 1
        return value + Fraction(int(digits), 10 ** len(digits))

    def _parts_after_join(self) -> tuple[int, int, int] | None:
        """Return numerator, denominator and length of "and two sevenths", "and twenty-one hundredths" from here."""
        lexicon, above = self.lexicon, 0
        for offset in (1, 2, 3):
            word = self._at(offset)
            if word in lexicon.fractions and above and not (word in lexicon.small and offset == 1):
                return (above, lexicon.fractions[word], offset + 1) if above < lexicon.fractions[word] else None
            value = lexicon.small.get(word)
            if value is None or (above and not (above % 10 == 0 and 0 < value < 10)):
                return None
            above += value
        return None

    def _joined_fraction(self, value: Fraction) -> tuple[Fraction, bool]:
        """Read "and a half", "and three quarters", "y media"; then a scale may follow ("two and a half million")."""
        lexicon, first, second = self.lexicon, self._at(1), self._at(2)
        found = self._parts_after_join()
        if first in lexicon.articles and second in lexicon.fractions:
            found = (1, lexicon.fractions[second], 3)
        elif found is None and first in lexicon.alone:
            found = (1, lexicon.fractions[first], 2)
        if found is None or not 0 < found[0] < found[1] or value.denominator != 1:
            return value, False
        above, below, length = found
        self.place += length
        value += Fraction(above, below)
        if self._at() in lexicon.scales:
            value *= lexicon.scales[self._at()]
            self.place += 1
        return value, True


def _room_after(value: int, *, french: bool) -> int:
    """Return the bound below which the next small word must lie to belong to the same group."""
    if value >= 100:
        return 100
    if value >= 20 and value % 10 == 0:
        return 10
    if value == 10 and french:
        return 10
    return 1
