"""Sentences that say what something is, in six languages: which name they define, and how plainly.

Patterns of wording, not a parser: what they give is a candidate, and `refusal` and the file's own use of it decide.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from preceptor.concepts.concept_name import clean_name, fold_name, name_words
from preceptor.concepts.material_text import unmarked


@dataclass(frozen=True, kw_only=True)
class Definition:
    """A name that a sentence defines."""

    name: str
    strong: bool
    """The wording names it ("is called …"); otherwise it is the subject of "… is a …"."""


_CALLED: dict[str, str] = {
    "en": r"\b(?:called|known as|referred to as|termed|is named|are named|defined to be|we say that it is)\s+(?P<t>.+)"
    r"|\bcall\s+(?:this|these|that|it|them|such|the)(?: [\w-]+){0,3}? (?:an?|the) (?P<w>.+)"
    r"|\bcall\s+(?:this|these|it|them|such [\w ]{3,30}?|the [\w ]{3,40}?)\s"
    r"(?P<u>.+)|\bthe (?:term|word)\s+(?P<v>.+?)\s+(?:means|refers|is used)",
    "es": r"\b(?:se llaman?|se denominan?|llamad[oa]s?|denominad[oa]s?|"
    r"conocid[oa]s? como|se conocen? como|llamamos|recibe el nombre de)"
    r"\s+(?P<t>.+)",
    "fr": r"(?:\bon appelle|"
    r"\bs'appellent?|\bappelée?s?|\bse nomment?|\bdénommée?s?|\bconnue?s? sous le nom de|\bnommée?s?)\s+(?P<t>.+)",
    "de": r"\b(?:heißt|heißen|nennt man(?: auch)?|nennen wir|bezeichnet man als|genannt)\s+(?P<t>.+)"
    r"|\bunter\s+(?P<u>.+?)\s+versteht man|\bals\s+(?P<v>[\w ]+?)\s+bezeichnet",
    "ar": r"(?:يسمى|تسمى|ويسمى|وتسمى|يُسمى|تُسمى|نسمي|"
    r"يطلق عليه اسم|يطلق عليها اسم|يعرف باسم|تعرف باسم|المقصود ب|يقصد ب)\s*(?P<t>.+)",
    "zh": r"(?:称为|称作|叫做|叫作|称之为|被称为|又称|也叫|也称|名为|中文名是|全称是|所谓的?)\s*(?P<t>.+)"
    r"|(?:本文|本节|本页面|本章|本页)(?:将|会|主要|简要|详细)*介绍(?:的是)?\s*(?P<u>.+)",
}
_SUBJECT: dict[str, str] = {
    "en": r"^(?:(?:in|for|with)\s[\w ]{3,40},\s+)?(?P<t>[^,.;:]{2,60}?)\s*(?:\([^)]{1,40}\)\s*)?"
    r"(?:(?:is|are)(?: simply| just| basically| always)? (?:an?|the|any|one|when|defined|that|used to|how)\b|"
    r"means?\b|refers? to\b|denotes?\b|"
    r"consists? of\b|describes?\b|states? that\b|measures?\b|says that\b)",
    "es": r"^(?P<t>[^,.;:]{2,60}?)\s+(?:es|son) (?:una?s?|el|la|los|las|cualquier)\b|^(?P<u>[^,.;:]{2,60}?)\s+"
    r"(?:significa|se define como|consiste en|se refiere a)\b",
    "fr": r"^(?P<t>[^,.;:]{2,60}?)\s+(?:est|sont) (?:une?|le|la|les|l'|des|tout)|^(?P<u>[^,.;:]{2,60}?)\s+"
    r"(?:désigne|signifie|se définit comme|consiste à)\b",
    "de": r"^(?P<t>[^,.;:]{2,60}?)\s+(?:ist|sind) (?:eine?r?|der|die|das|jede[rs]?)\b|^(?P<u>[^,.;:]{2,60}?)\s+"
    r"(?:bedeutet|bezeichnet|gibt an|beschreibt)\b",
    "ar": r"^(?P<t>[^،.؛:]{2,50}?)\s+(?:هو|هي|هما|تعني|يعني|عبارة عن|تُعرَّف|يُعرَّف|تعرف|يعرف)\s",
    "zh": r"^(?P<t>[^，。；：,、．]{2,16}?)\s*(?:[（(][^）)]{1,40}[）)])?\s*[，,]?\s*"
    r"(?:是指|指的是|是一种|是一个|是一类|是由|是用来|是用于|是图上|定义为|全称|即是|就是指)",
}
_QUOTED = re.compile(r"^[“\"「『‘*_`]+([^”\"」』’*_`]{1,50})[”\"」』’*_`]")
_STOP_AT = re.compile(r"[,.;:!?()（），。；：、．！？“”\"\[\]=،؛]|\s[–—-]\s|\sor\s|\so\s(?=l)|\sou\s|\soder\s")
_MAX_NP_WORDS = 5
_CLAUSE = {
    "en": "the a an that which who when where if because since and for in on at by to from as is are was were with "
    "while so into whose instead than can whether it we you they",
    "es": "el la los las un una que cual cuando donde si porque y para en por con como es son se a al",
    "fr": "le la les un une ce cette que qui quand où si parce et pour dans en par avec comme est sont on à au",
    "de": "das die der den dem ein eine wenn weil und für in auf bei mit als ist sind man wie von",
    "ar": "التي الذي حيث اذا إذا لأن و في من على إلى",
}


def definitions_in(sentence: str, language: str) -> tuple[Definition, ...]:
    """Return the names that one sentence defines, strong ones first.

    Args:
        sentence: With its emphasis marks.
        language: Of the file; a language without patterns is read with the English ones.
    """
    primary = language.split("-")[0].lower()
    if primary not in _CALLED:
        primary = "en"
    called, subject = _patterns(primary)
    out: list[Definition] = []
    if sentence.rstrip().endswith(("?", "？", "؟")):
        return ()
    for match in called.finditer(sentence):
        name = _noun_phrase(_group(match), primary)
        if name:
            out.append(Definition(name=name, strong=True))
    plain = unmarked(sentence)
    subject_match = subject.match(plain)
    if subject_match:
        name = _subject(_group(subject_match), primary)
        if name:
            out.append(Definition(name=name, strong=False))
    return tuple(out)


def _group(match: re.Match[str]) -> str:
    return next((text for text in match.groupdict().values() if text), "")


@cache
def _patterns(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    return re.compile(_CALLED[language], re.IGNORECASE), re.compile(_SUBJECT[language], re.IGNORECASE)


def _noun_phrase(text: str, language: str) -> str | None:
    """Return the noun phrase that a text begins with."""
    text = text.strip()
    bare = re.sub(
        r"^(?:an?|the|una?|el|la|los|las|les?|une|des|l'|eine?[nmrs]?|der|die|das|den)\s+",
        "",
        text,
        flags=re.IGNORECASE,
    )
    quoted = _QUOTED.match(bare)
    if quoted:
        return clean_name(quoted[1]) or None
    cut = _STOP_AT.split(unmarked(bare), maxsplit=1)[0].strip()
    if language == "zh":
        return re.split(r"的|是|\s*(?:表|算法的)", cut, maxsplit=1)[0].strip() or None
    words = cut.split()
    stops = frozenset(_CLAUSE.get(language, "").split())
    kept: list[str] = []
    for word in words[: _MAX_NP_WORDS + 1]:
        if word.casefold() in stops:
            break
        kept.append(word)
    if len(kept) > _MAX_NP_WORDS:
        return None
    if kept and kept[-1].casefold() == "of":
        kept.pop()
    return clean_name(" ".join(kept)) or None


def _subject(text: str, language: str) -> str | None:
    """Return the subject of "… is a …" without its article; `None` where it is no bare noun phrase."""
    name = clean_name(text)
    if language == "zh":
        return None if "的" in name else name
    name = re.sub(
        r"^(?:an?|the|una?|el|la|los|las|les?|une|l'|eine?|der|die|das)\s*(?<=[\s'])", "", name, flags=re.IGNORECASE
    )
    words = fold_name(name).split()
    loose = name_words(language).function | frozenset("of in to".split() if len(words) > 4 else ())
    if not words or len(words) > 4 or any(word in loose for word in words):
        return None
    if language == "de" and not name.split()[-1][:1].isupper():
        return None
    return name
