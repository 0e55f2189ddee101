"""The words that numbers are written in, in five languages. Chinese is in `chinese_numerals`."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache


@dataclass(frozen=True, kw_only=True)
class Lexicon:
    """The number words of one language; every word in lower case without accents, as `plain_word` gives it."""

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
def plain_word(word: str) -> str:
    """Return a word in lower case without accents; ß is ss; Arabic loses its vowel signs and its alif forms."""
    word = unicodedata.normalize("NFKD", word.casefold())
    word = "".join(char for char in word if not unicodedata.combining(char))
    return word.translate({ord("أ"): "ا", ord("إ"): "ا", ord("آ"): "ا", ord("ى"): "ي", ord("ة"): "ه", ord("ـ"): None})


def _words(text: str, start: int = 0, step: int = 1) -> dict[str, int]:
    table: dict[str, int] = {}
    for place, names in enumerate(text.split()):
        table.update({plain_word(name): start + place * step for name in names.split("|")})
    return table


EN = Lexicon(
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
ES = Lexicon(
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
FR = Lexicon(
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
DE = Lexicon(
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
AR = Lexicon(
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
LEXICONS: dict[str, Lexicon] = {"en": EN, "es": ES, "fr": FR, "de": DE, "ar": AR}
"""Language → its words."""

NUMBER_WORDS: dict[str, frozenset[str]] = {
    language: frozenset({*lexicon.small, *lexicon.scales, *lexicon.fractions}) for language, lexicon in LEXICONS.items()
}
"""Language → every word that can be part of a number, lower case, without accents."""
