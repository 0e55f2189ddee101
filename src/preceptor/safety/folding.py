"""Folded views of a text, each character tied to its place in the original: what the safety rules read.

Folding undoes what hides a word from a rule without changing its meaning: case, accents, full-width and
look-alike letters, zero-width characters, apostrophes, repeated letters, digits for letters, letters set apart.
A folded view holds letters, digits, single spaces, and a line feed at each end of a sentence; nothing else.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

_LOOKALIKES = str.maketrans("аеорсухіјѕԁһкмтαοερı", "aeopcyxijsdhkmtaoepi")
"""Cyrillic and Greek letters that look like Latin ones."""

_TRADITIONAL = (
    "殺杀傷伤學学師师說说讓让們们愛爱後后過过媽妈強强姦奸壓压惡恶憂忧鬱郁絕绝離离開开誰谁還还給给對对會会這这個个麼么為为沒没歲岁騷骚擾扰砍砍槍枪"
    "廢废該该應应覺觉結结藥药書书爺爷體体門门關关鎖锁趕赶殘残輕轻從从樓楼軌轨難难負负贅赘堅坚驚惊發发寫写動动毀毁彈弹義义氣气寧宁願愿樣样親亲"
    "脫脱褻亵處处傳传總总經经罵骂脅胁嚇吓報报復复劃划燒烧買买爛烂閉闭滾滚賤贱討讨厭厌機机黃黄陰阴莖茎約约問问題题數数試试電电腦脑餓饿無无間间"
    "時时進进達达幹干棄弃淚泪內内衛卫極极實实裡里裏里兩两幾几遠远見见親亲獨独虛虚滅灭償偿勵励讀读帶带許许準准別别寶宝蠻蛮蠢蠢臉脸憑凭聽听"
)
"""Pairs: the traditional form of a character the Chinese rules use, then its simplified form."""

_SIMPLIFIED = str.maketrans(_TRADITIONAL[::2], _TRADITIONAL[1::2])

_LEET = str.maketrans("013457@$!|", "oieastasii")
_LEET_WORD = re.compile(r"[^\s]*[a-z][^\s]*")
_APOSTROPHES = frozenset("'’‘`´ʼ＇")
_SENTENCE_END = frozenset(".!?;\n。！？；؟۔…")
_SPACED = re.compile(r"(?<![a-z0-9])(?:[a-z] ){3,}[a-z](?![a-z0-9])")
_RUN = re.compile(r"([a-z\u0621-\u064a])\1{2,}")
_TOKEN = re.compile(r"[^ \n]+|[ \n]+")
_MASKED_WORDS = {
    "k*ll": "kill",
    "su*cide": "suicide",
    "s*icide": "suicide",
    "suic*de": "suicide",
    "d*e": "die",
    "r*pe": "rape",
}


@dataclass(frozen=True, kw_only=True)
class Folded:
    """One view of a text."""

    text: str
    places: tuple[int, ...]
    """Per character of `text`, its index in the original."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original, end exclusive, that a non-empty span of this view comes from."""
        return self.places[start], self.places[end - 1] + 1


def fold(text: str) -> Folded:
    """Return the plain view of a text."""
    return _squeeze(_letters(text, leet=False))


def views(text: str) -> tuple[Folded, ...]:
    """Return every view a rule must see: plain, digits as letters, repeats shortened, spaced letters joined."""
    plain = fold(text)
    found = [plain]
    if re.search(r"[a-z*][0-9@$!|*]|[0-9@$!|*][a-z]", unicodedata.normalize("NFKC", text).lower()):
        found.append(_squeeze(_letters(text, leet=True)))
    for view in tuple(found):
        if _RUN.search(view.text):
            found += [_shorten(view, 2), _shorten(view, 1)]
        if _SPACED.search(view.text):
            found.append(_join(view))
    unique = {view.text: view for view in reversed(found)}
    return tuple(reversed(unique.values()))


def respell(view: Folded, spellings: Mapping[str, str]) -> Folded:
    """Return a view with the words that `spellings` has replaced; the view itself where it has none of them."""
    if spellings.keys().isdisjoint(view.text.split()):
        return view
    text: list[str] = []
    places: list[int] = []
    for word in _TOKEN.finditer(view.text):
        right = spellings.get(word.group())
        if right is None:
            text.append(word.group())
            places += view.places[word.start() : word.end()]
            continue
        text.append(right)
        places += [view.places[min(word.start() + i, word.end() - 1)] for i in range(len(right) - 1)]
        places.append(view.places[word.end() - 1])
    return Folded(text="".join(text), places=tuple(places))


def _letters(text: str, *, leet: bool) -> list[tuple[str, int]]:
    if leet:
        text = _unleet(text)
    out: list[tuple[str, int]] = []
    for place, char in enumerate(text):
        if char in _SENTENCE_END:
            out.append(("\n" if _ends_sentence(text, place) else " ", place))
        else:
            out += [(folded, place) for folded in _fold_char(char)]
    return out


def _ends_sentence(text: str, place: int) -> bool:
    """Return whether a stop ends a sentence: "3.5" and "..." do not."""
    if text[place] in "\n。！？；؟۔":
        return True
    if place == len(text) - 1:
        return True
    return text[place] != "…" and text[place + 1].isspace() and (place == 0 or text[place - 1] != ".")


@lru_cache(maxsize=4096)
def _fold_char(char: str) -> str:
    """Return what a character is read as: nothing, a letter or digit (or two), or a space."""
    if char in _APOSTROPHES or unicodedata.category(char) == "Cf":
        return ""
    out = ""
    for folded in unicodedata.normalize("NFKD", char.casefold()).casefold():
        if unicodedata.combining(folded) or folded == "\u0640":
            continue
        folded = folded.translate(_LOOKALIKES).translate(_ARABIC).translate(_SIMPLIFIED)
        out += folded if folded.isalnum() else " "
    return out


_ARABIC = str.maketrans("ىةؤئٱ", "يهويا")


def _unleet(text: str) -> str:
    """Return the text with digits and signs inside words read as letters; the length does not change."""
    low = "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
    for masked, word in _MASKED_WORDS.items():
        low = low.replace(masked, word)
    return _LEET_WORD.sub(lambda found: _unleet_word(found.group()), low)


def _unleet_word(word: str) -> str:
    bare = word.rstrip("!?.,;")
    return bare.translate(_LEET) + word[len(bare) :]


def _is_cjk(char: str) -> bool:
    return "\u3400" <= char <= "\u9fff"


def _squeeze(letters: list[tuple[str, int]]) -> Folded:
    """Keep one space between words, none between two Chinese characters, none beside a line feed."""
    kept: list[tuple[str, int]] = []
    for place, (char, index) in enumerate(letters):
        if char == " ":
            if not kept or kept[-1][0] in " \n":
                continue
            if _is_cjk(kept[-1][0]):
                after = next((one for one, _ in letters[place + 1 : place + 4] if one != " "), " ")
                if _is_cjk(after):
                    continue
        elif char == "\n":
            while kept and kept[-1][0] == " ":
                kept.pop()
            if not kept or kept[-1][0] == "\n":
                continue
        kept.append((char, index))
    return Folded(text="".join(char for char, _ in kept), places=tuple(index for _, index in kept))


def _keep(view: Folded, keep: list[int]) -> Folded:
    return Folded(text="".join(view.text[i] for i in keep), places=tuple(view.places[i] for i in keep))


def _shorten(view: Folded, length: int) -> Folded:
    """Shorten every run of three or more equal letters to `length`."""
    drop: set[int] = set()
    for run in _RUN.finditer(view.text):
        drop.update(range(run.start() + length, run.end()))
    return _keep(view, [i for i in range(len(view.text)) if i not in drop])


def _join(view: Folded) -> Folded:
    """Join letters that stand apart: "k i l l" is "kill"."""
    drop: set[int] = set()
    for run in _SPACED.finditer(view.text):
        drop.update(i for i in range(run.start(), run.end()) if view.text[i] == " ")
    return _keep(view, [i for i in range(len(view.text)) if i not in drop])
