"""What a text is searched by: its words in order, small letters, English endings cut off.

Scripts written without spaces are cut into pairs of characters. Words that only hold a sentence together are left out
of English text; in other languages the weight of a word in the course must do that.
"""

from __future__ import annotations

import re
import unicodedata

from preceptor.course.stemming import stem

_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0e7f"
_RUN = re.compile(rf"[{_UNSPACED}]+|\d+(?:[.,/:]\d+)*|[^\W_\d{_UNSPACED}]+")
_IS_UNSPACED = re.compile(rf"[{_UNSPACED}]")
_IS_ENGLISH = re.compile(r"[a-z]+\Z")
_APOSTROPHE = re.compile(r"(?<=[^\W\d_])['’](?=[^\W\d_])")
STOP_WORDS = frozenset(
    "a about again all also am an and any are arent as at be because been being but by can cannot cant could couldnt "
    "did didnt do does doesnt doing done dont for from get gets getting go goes got had has have he her here him his "
    "how i id if ill im in into is isnt it its ive just know like lets me much my no not now of off ok on one or our "
    "out please really right she should shouldnt so some such than that thats the their them then there theres these "
    "they thing this those to too up us very was we well were what whats when where which while who why will with "
    "wont would wouldnt you your yours u".split()
)
"""Function words of English and what learners write around a question. (chosen before any search was run)"""


def plain_runs(text: str) -> list[str]:
    """Return the words of a text in order: case and accents gone, nothing left out, nothing cut."""
    decomposed = unicodedata.normalize("NFKD", _APOSTROPHE.sub("", text).casefold())
    plain = "".join(character for character in decomposed if not unicodedata.combining(character))
    return _RUN.findall(unicodedata.normalize("NFC", plain))


def text_words(text: str) -> list[tuple[str, str]]:
    """Return (term, the word it came from) in the order they stand, each as often as it stands there."""
    found: list[tuple[str, str]] = []
    for run in plain_runs(text):
        if _IS_UNSPACED.match(run):
            pairs = [run[start : start + 2] for start in range(len(run) - 1)] or [run]
            found += [(pair, pair) for pair in pairs]
        elif run not in STOP_WORDS:
            found.append((stem(run) if _IS_ENGLISH.match(run) else run, run))
    return found


def text_terms(text: str) -> list[str]:
    """Return the terms of a text in the order they stand, each as often as it stands there."""
    return [term for term, _ in text_words(text)]
