"""Number words of five languages, read to exact fractions: "two hundred and five", "trois quarts", "fünfundzwanzig".

Tables of words, and one accumulator that serves all of them. Chinese is in `chinese_numerals`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache


@dataclass(frozen=True, kw_only=True)
class _Lexicon:
    small: dict[str, int]
    """Words for 0 to 99 and, where a language has them, whole hundreds (quinientos)."""
    scales: dict[str, int]
    """Words that multiply what stands before them: hundred, thousand, million, dozen."""
    fractions: dict[str, int]
    """Word → denominator: half → 2."""
    joins: frozenset[str]
    """The word for "and"."""
    articles: frozenset[str]
    """Words that are 1 only before a scale or a fraction."""
    point: frozenset[str] = frozenset()
    alone: frozenset[str] = field(default_factory=frozenset)
    """Fraction words that need no numerator: "half"."""


@lru_cache(maxsize=4096)
def _plain(word: str) -> str:
    """Lower case without accents; ß is ss; Arabic loses its vowel signs and its alif forms."""
    word = unicodedata.normalize("NFKD", word.casefold())
    word = "".join(char for char in word if not unicodedata.combining(char))
    return word.translate({ord("أ"): "ا", ord("إ"): "ا", ord("آ"): "ا", ord("ى"): "ي", ord("ة"): "ه", ord("ـ"): None})


def _words(text: str, start: int = 0, step: int = 1) -> dict[str, int]:
    table: dict[str, int] = {}
    for place, names in enumerate(text.split()):
        table.update({_plain(name): start + place * step for name in names.split("|")})
    return table


_EN = _Lexicon(
    small={
        **_words(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
            "seventeen eighteen nineteen"
        ),
        **_words("twenty thirty forty|fourty fifty sixty seventy eighty ninety|ninty", 20, 10),
    },
    scales={
        "hundred": 100,
        "hundreds": 100,
        "thousand": 10**3,
        "thousands": 10**3,
        "million": 10**6,
        "billion": 10**9,
        "trillion": 10**12,
        "dozen": 12,
        "dozens": 12,
    },
    fractions={
        **_words(
            "half|halves third|thirds fourth|fourths|quarter|quarters fifth|fifths sixth|sixths seventh|sevenths "
            "eighth|eighths ninth|ninths tenth|tenths eleventh|elevenths twelfth|twelfths",
            2,
        ),
        **_words("fifteenth|fifteenths sixteenth|sixteenths", 15),
        **_words("twentieth|twentieths thirtieth|thirtieths", 20, 10),
        **_words("hundredth|hundredths", 100),
        **_words("thousandth|thousandths", 1000),
    },
    joins=frozenset({"and", "&"}),
    articles=frozenset({"a", "an"}),
    point=frozenset({"point"}),
    alone=frozenset({"half"}),
)
_ES = _Lexicon(
    small={
        **_words(
            "cero uno|un|una dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince "
            "dieciséis diecisiete dieciocho diecinueve veinte veintiuno|veintiún|veintiuna veintidós veintitrés "
            "veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve"
        ),
        **_words("treinta cuarenta cincuenta sesenta setenta ochenta noventa", 30, 10),
        **_words(
            "cien|ciento doscientos|doscientas trescientos|trescientas cuatrocientos|cuatrocientas "
            "quinientos|quinientas seiscientos|seiscientas setecientos|setecientas "
            "ochocientos|ochocientas novecientos|novecientas",
            100,
            100,
        ),
    },
    scales={"mil": 10**3, "millon": 10**6, "millones": 10**6, "docena": 12, "docenas": 12},
    fractions=_words(
        "medio|media|medios|mitad tercio|tercios cuarto|cuartos quinto|quintos sexto|sextos séptimo|séptimos "
        "octavo|octavos noveno|novenos décimo|décimos",
        2,
    ),
    joins=frozenset({"y"}),
    articles=frozenset({"un", "una", "la"}),
    point=frozenset({"coma", "punto"}),
    alone=frozenset({"medio", "media", "mitad"}),
)
_FR = _Lexicon(
    small={
        **_words(
            "zéro un|une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize "
            "dix-sept dix-huit dix-neuf"
        ),
        **_words("vingt|vingts trente quarante cinquante soixante septante|soixante-dix quatre-vingts nonante", 20, 10),
        "huitante": 80,
        "octante": 80,
    },
    scales={
        "cent": 100,
        "cents": 100,
        "mille": 10**3,
        "million": 10**6,
        "millions": 10**6,
        "milliard": 10**9,
        "milliards": 10**9,
        "douzaine": 12,
        "douzaines": 12,
    },
    fractions=_words(
        "demi|demie|moitié|demis tiers quart|quarts cinquième|cinquièmes sixième|sixièmes septième|septièmes "
        "huitième|huitièmes neuvième|neuvièmes dixième|dixièmes",
        2,
    ),
    joins=frozenset({"et"}),
    articles=frozenset({"un", "une", "la"}),
    point=frozenset({"virgule"}),
    alone=frozenset({"demi", "demie", "moitie"}),
)
_DE = _Lexicon(
    small={
        **_words(
            "null eins|ein|eine|einen|einem|einer zwei|zwo drei vier fünf|fuenf sechs sieben acht neun zehn elf "
            "zwölf|zwoelf dreizehn vierzehn fünfzehn|fuenfzehn sechzehn siebzehn achtzehn neunzehn"
        ),
        **_words("zwanzig dreißig|dreissig vierzig fünfzig|fuenfzig sechzig siebzig achtzig neunzig", 20, 10),
    },
    scales={
        "hundert": 100,
        "tausend": 10**3,
        "million": 10**6,
        "millionen": 10**6,
        "milliarde": 10**9,
        "milliarden": 10**9,
        "dutzend": 12,
    },
    fractions=_words(
        "halb|halbe|halber|halbes|halben|hälfte drittel viertel fünftel sechstel siebtel achtel neuntel zehntel", 2
    ),
    joins=frozenset({"und"}),
    articles=frozenset({"ein", "eine", "die"}),
    point=frozenset({"komma"}),
    alone=frozenset({"halb", "halbe", "halber", "halbes", "halben", "halfte"}),
)
_AR = _Lexicon(
    small={
        **_words(
            "صفر واحد|واحدة اثنان|اثنين|اثنا|اثني|اثنتا|اثنتان|اثنتين ثلاثة|ثلاث أربعة|أربع "
            "خمسة|خمس ستة|ست سبعة|سبع ثمانية|ثماني|ثمان "
            "تسعة|تسع عشرة|عشر"
        ),
        **_words(
            "عشرون|عشرين ثلاثون|ثلاثين أربعون|أربعين خمسون|خمسين ستون|ستين سبعون|سبعين ثمانون|ثمانين تسعون|تسعين",
            20,
            10,
        ),
        **_words("مئتان|مئتين|مائتان|مائتين", 200),
    },
    scales={
        **_words("مئة|مائة|مية", 100),
        **_words("ألف|آلاف|ألفا", 1000),
        **_words("مليون|ملايين", 10**6),
    },
    fractions=_words("نصف ثلث ربع خمس سدس سبع ثمن تسع عشر", 2),
    joins=frozenset({"و"}),
    articles=frozenset(),
    point=frozenset({"فاصله"}),
    alone=frozenset({"نصف", "ثلث", "ربع"}),
)
_LEXICONS: dict[str, _Lexicon] = {"en": _EN, "es": _ES, "fr": _FR, "de": _DE, "ar": _AR}

NUMBER_WORDS: dict[str, frozenset[str]] = {
    language: frozenset({*lexicon.small, *lexicon.scales, *lexicon.fractions})
    for language, lexicon in _LEXICONS.items()
}
"""Language → every word that can be part of a number, lower case, without accents."""

_ARABIC_HUNDRED = (_plain("مائة"), _plain("مئة"))
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
    lexicon = _LEXICONS.get(language, _EN)
    parts: list[str] = []
    ends: list[int] = []
    for place, word in enumerate(words[:_LONGEST]):
        pieces = _split(_plain(word), lexicon, language)
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


def _split(word: str, lexicon: _Lexicon, language: str) -> list[str]:
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


def _belongs(piece: str, lexicon: _Lexicon) -> bool:
    if _known(piece, lexicon) or piece in lexicon.joins or piece in lexicon.articles or piece in lexicon.point:
        return True
    return bool(_NUMERIC.fullmatch(piece))


def _known(word: str, lexicon: _Lexicon) -> bool:
    return word in lexicon.small or word in lexicon.scales or word in lexicon.fractions


_GERMAN_PIECE = re.compile(
    "|".join(
        sorted(
            {*_DE.small, *_DE.scales, *_DE.fractions, "und"} - {"eine", "einen", "einem", "einer"},
            key=len,
            reverse=True,
        )
    )
)


def _split_german(word: str) -> list[str]:
    """Cut "zweihundertfünfundzwanzig" from the left, longest piece first; empty if it is no number."""
    if word.endswith("einhalb") and len(word) > 7:
        head = word.removesuffix("einhalb").removesuffix("und")
        pieces = [head] if head in _DE.small else _split_german(head)
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

    def __init__(self, parts: list[str], lexicon: _Lexicon) -> None:
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
        if lexicon is _FR and last == 4 and value == 20 and not joined:
            return group - 4 + 80, 20
        if lexicon is _FR and last in {60, 80} and 0 < value < 20:
            return group + value, 10 if value == 10 else 1
        if lexicon is _FR and last in {10, 70, 90} and 7 <= value <= 9 and room == 10:
            return group + value, 1
        if lexicon in (_DE, _AR) and joined and 0 < group % 10 == last and value in range(20, 100, 10):
            return group + value, 1
        if lexicon is _AR and 0 < last < 10 and value == 10 and not joined:
            return group + 10, 1
        if joined and lexicon is _EN and not (group >= 100 and last == 0 or (group == 0 and total)):
            return None
        if value >= room or (value == 0 and (group or total)):
            return None
        return group + value, _room_after(value, french=lexicon is _FR)

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
