r"""What a learner typed, made plain before it is read: limits, LaTeX, number words and spoken signs.

Nothing is interpreted here beyond writing: "twelve" becomes 12, \frac{1}{2} becomes 1/2, "percent" becomes %.
"""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction

from preceptor.maths.expression_grammar import MAX_CHARS, UnreadError
from preceptor.maths.numerals import NUMBER_WORDS, normalise, read_chinese, read_number_words

_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")
_COMMANDS: tuple[tuple[str, str], ...] = (
    (r"\\(?:left|right|big|Big|displaystyle|limits)(?![A-Za-z])", ""),
    (r"\\[,;:!> ]|~(?=\S)(?<!^~)", " "),
    (r"\\quad|\\qquad", " "),
    (r"\\(?:cdot|times|ast)(?![A-Za-z])", "*"),
    (r"\\div(?![A-Za-z])", "/"),
    (r"\\pm(?![A-Za-z])", "±"),
    (r"\\(?:leq|le|leqslant)(?![A-Za-z])", "<="),
    (r"\\(?:geq|ge|geqslant)(?![A-Za-z])", ">="),
    (r"\\lt(?![A-Za-z])", "<"),
    (r"\\gt(?![A-Za-z])", ">"),
    (r"\\infty(?![A-Za-z])", "inf"),
    (r"\\approx(?![A-Za-z])", "≈"),
    (r"\^\s*\{?\s*\\circ\s*\}?|\\degree|\\circ(?![A-Za-z])", "°"),
    (r"\\(pi|sin|cos|tan|cot|sec|csc|arcsin|arccos|arctan|ln|log|exp)(?![A-Za-z])", r" \1 "),
    (r"\\%", "%"),
    (r"\\\{", "⟦"),
    (r"\\\}", "⟧"),
)
_WRAPPER = re.compile(r"\\(?:text|textbf|textrm|mathrm|mathbf|mathit|operatorname|mbox)\s*\{([^{}]*)\}")
_FRAC = re.compile(r"\\[dtc]?frac\s*(?:\{([^{}]*)\}|(\d|[a-z]))\s*(?:\{([^{}]*)\}|(\d|[a-z]))")
_ROOT = re.compile(r"\\sqrt\s*(?:\[([^\[\]{}]*)\]\s*)?(?:\{([^{}]*)\}|(\d|[a-z]))")
_POWER = re.compile(r"\^\s*\{([^{}]*)\}")
_BOXED = re.compile(r"\\f?boxed\s*\{([^{}]*)\}")
_ROUNDS = 22


def plain_text(text: str) -> str:
    """Return a text in one writing, without LaTeX, controls or decoration.

    Raises:
        UnreadError: It is longer than 400 characters, holds control characters, surrogates, bidirectional
            overrides or stacked marks, or LaTeX that is nested over 20 deep or unknown.
    """
    if len(text) > MAX_CHARS:
        raise UnreadError(f"That is longer than the {MAX_CHARS} characters I read. Please write only the answer.")
    if any(unicodedata.category(char) in {"Cc", "Cs", "Co"} and char not in "\t\n\r" for char in text):
        raise UnreadError("There are characters in it that cannot be seen. Please type the answer again.")
    if _BIDI.search(text):
        raise UnreadError("The writing direction is changed in it. Please type the answer again.")
    text = _repeating(normalise(text.replace("\ufe0f", "").replace("\u20e3", "")))
    if re.search(r"[\d+*/^=()-][\u0300-\u036f]|[\u0300-\u036f]{2}", text):
        raise UnreadError("There are marks on the digits that I cannot read. Please type the answer again.")
    if "\\" in text or "$" in text or "^{" in text:
        text = _plain_latex(text)
    text = "".join(
        char for char in text if char == "°" or unicodedata.category(char) not in {"So", "Sk"} or char == "^"
    )
    return " ".join(text.split())


def _repeating(text: str) -> str:
    """Write a recurring decimal as a fraction: overlined, bracketed after the point, or three times and dots."""
    text = re.sub(r"\\overline\s*\{(\d{1,9})\}", r"(\1)", text)
    if "\u0305" in text:
        text = re.sub(r"((?:\d\u0305)+)", lambda match: f"({match[1].replace(chr(0x305), '')})", text)
        text = re.sub(r"(\d*)\.(\d{0,9})\((\d{1,9})\)", _recurring, text)
    text = re.sub(r"(\d*)\.()\((\d{1,9})\)", _recurring, text)
    return re.sub(r"(\d*)\.(\d{0,9}?)(\d)\3{2,}(?:\.\.\.|…)", _recurring, text)


def _recurring(match: re.Match[str]) -> str:
    whole, fixed, period = match[1] or "0", match[2], match[3]
    value = Fraction(int(whole + fixed), 10 ** len(fixed))
    value += Fraction(int(period), (10 ** len(period) - 1) * 10 ** len(fixed))
    return f"({value})" if len(match[0]) < 60 else match[0]


def _plain_latex(text: str) -> str:
    text = text.replace("\\$", "USD ")
    text = re.sub(r"\\[()\[\]]", " ", text)
    for opener in ("$$", "$"):
        if text.startswith(opener) and text.endswith(opener) and len(text) > 2 * len(opener):
            text = text[len(opener) : -len(opener)]
    text = re.sub(r"\$([^$\s](?:[^$]*[^$\s])?)\$(?!\d)", r" \1 ", text)
    text = text.replace("USD ", "$")
    if "\\" not in text and "^{" not in text:
        return text
    for pattern, replacement in _COMMANDS:
        text = re.sub(pattern, replacement, text)
    boxed = ""
    for _ in range(_ROUNDS):
        before = text
        text = _WRAPPER.sub(r" \1 ", text)
        text = _POWER.sub(r"^(\1)", text)
        text = _ROOT.sub(_write_root, text)
        text = _FRAC.sub(_write_frac, text)
        found = _BOXED.findall(text)
        if found:
            boxed = found[-1]
            text = _BOXED.sub(r" \1 ", text)
        if text == before:
            break
        if len(text) > 2 * MAX_CHARS:
            raise UnreadError("That is nested too deep for me.")
    if "\\" in text:
        raise UnreadError("There is a LaTeX command in it that I do not know.")
    return boxed or text


def _write_root(match: re.Match[str]) -> str:
    inside = match[2] if match[2] is not None else match[3]
    return f"root({inside},{match[1]})" if match[1] else f"sqrt({inside})"


def _write_frac(match: re.Match[str]) -> str:
    above = match[1] if match[1] is not None else match[2]
    below = match[3] if match[3] is not None else match[4]
    before = match.string[: match.start()]
    if re.search(r"(?:^|[\s=(+*-])\d+\s*$", before) and above.strip().isdigit() and below.strip().isdigit():
        return f" {above.strip()}/{below.strip()}"
    if above.strip().isdigit() and below.strip().isdigit() and not re.search(r"[\^/]\s*$", before):
        return (
            f"({above.strip()}/{below.strip()})"
            if before.strip()[-1:].isalnum()
            else f"{above.strip()}/{below.strip()}"
        )
    return f"(({above})/({below}))"


_SPOKEN: tuple[tuple[str, str], ...] = (
    (r"(?<=[\d)])\s*(?:percent|per cent|pct|prozent|por ciento|pour cent|بالمئة|في المئة)\b", "%"),
    (r"\bsquare root of\b|\bthe root of\b|根号", "sqrt "),
    (r"(?<=[\d)%])\s*(?:plus)\s*(?=[\d(.-])|(?<=[\d)])\s*加\s*(?=\d)", " + "),
    (r"(?<=[\d)%])\s*(?:minus)\s*(?=[\d(.])|(?<=[\d)])\s*减\s*(?=\d)", " - "),
    (r"(?:\b(?:minus|negative|menos|moins)\s+|负)(?=[\d(.$])", "-"),
    (r"(?<=[\d)])\s*(?:times|multiplied by|乘以|乘)\s*(?=[\d(.])", " * "),
    (r"(?<=[\d)])\s*(?:divided by|over|out of|除以)\s*(?=[\d(.])", " / "),
    (r"(?<=[\d)])\s*squared\b", "^2"),
    (r"(?<=[\d)])\s*cubed\b", "^3"),
    (r"(?<=[\d)])\s*to the power of\s*(?=\d)", "^"),
    (r"(?<=[\w)%])\s+(?:equals|is equal to|is the same as)\s+(?=[\w(.$-])|(?<=\d)\s*(?:等于|得)\s*(?=\d)", " = "),
    (r"(?<![\d/.,])(\d+) and (\d+/\d+)(?!\d)", r"\1 \2"),
    (r"(?<=[\d)])\s*x\s*(?=\d)", "*"),
)
_CHINESE_RUN = re.compile(
    r"一半|负?(?:\d+(?:\.\d+)?[十百千万亿]+|[零〇一二两三四五六七八九十百千万亿廿]+(?:点[零〇一二三四五六七八九]+)?|(?<!\d)百(?=分之))"
    r"(?:又[零一二两三四五六七八九十百千]+)?(?:分之(?:[零一二两三四五六七八九十百千万点]+|\d+(?:\.\d+)?))?"
    r"|\d+分之\d+|^半(?=[\u4e00-\u9fff])|半(?![\u4e00-\u9fff])"
)
_CHINESE_IDIOMS = re.compile(
    "一共|一起|一样|一定|一些|一下|一直|唯一|统一|第一|三角形|百分比|星期[一二三四五六]"
    "|(?<![零一二两三四五六七八九十百千])万一(?![零一二三四五六七八九十百千])"
    "|(?<![零一二三四五六七八九百千万])十分(?![之钟零一二三四五六七八九十])(?=[\u4e00-\u9fff])"
)
_LATIN_WORDS = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*|\d[\d,.]*\d|\d|\S")


def spoken_to_signs(text: str, language: str = "en", *, sentence: bool = False) -> str:
    """Return a text with number words as digits and spoken signs as signs.

    Args:
        text: Plain.
        language: Whose number words are read: en, es, fr, de or ar; Chinese numerals always are.
        sentence: Leave a lone "one" or "a" as words: in a sentence it is seldom the answer.
    """
    text = _CHINESE_IDIOMS.sub(lambda match: "　" * len(match[0]), text).replace("　", " ")
    text = _CHINESE_HALF.sub(_write_chinese_half, text)
    text = _CHINESE_RUN.sub(_write_chinese_run, text)
    text = re.sub(r"(?<=\d)\s*个(?=小时|钟头|星期|月)", "", text)
    if re.search(r"[^\W\d_]", text):
        text = _words_to_digits(text, language, sentence=sentence)
    for pattern, replacement in _SPOKEN:
        text = re.sub(pattern, replacement, text, flags=re.IGNORECASE)
    return " ".join(text.split())


_CHINESE_HALF = re.compile(
    r"([零一二两三四五六七八九十百千万]+|\d+)(个|小时|天|年|月|米|元|块|斤|公斤|千克|公里|升|吨|倍|页|本)半(?!分)"
)


def _write_chinese_half(match: re.Match[str]) -> str:
    value = read_chinese(match[1])
    return match[0] if value is None else f"{value} 1/2{match[2]}"


def _write_chinese_run(match: re.Match[str]) -> str:
    value = read_chinese(match[0])
    return match[0] if value is None else str(value)


def _words_to_digits(text: str, language: str, *, sentence: bool) -> str:
    vocabulary = NUMBER_WORDS.get(language, frozenset())
    matches = list(_LATIN_WORDS.finditer(text))
    words = [match[0] for match in matches]
    pieces, done, place = [], 0, 0
    while place < len(words):
        found = None
        if words[place][0].isalpha() or (words[place][0].isdigit() and place + 1 < len(words)):
            found = read_number_words(words[place:], language)
        if found is None or (
            sentence and found[1] == 1 and words[place].casefold() in {"one", "un", "une", "ein", "eine"}
        ):
            place += 1
            continue
        value, count = found
        pieces += [text[done : matches[place].start()], _write_value(value)]
        done = matches[place + count - 1].end()
        place += count
    return "".join([*pieces, text[done:]]) if vocabulary else text


def _write_value(value: object) -> str:
    written = str(value)
    if "/" not in written:
        return written
    above, below = (int(part) for part in written.split("/"))
    whole, rest = divmod(above, below)
    return f"{whole} {rest}/{below}" if whole else written
