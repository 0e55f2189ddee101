"""Sentence vectors, for the languages an embedder declares; other text gets none and is found by its words.

An embedder that meets a language it was not made for calls unrelated texts equal, so it must not try.
"""

from __future__ import annotations

import tomllib
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from preceptor.errors import ModelError, SettingsError
from preceptor.models.fetch import model_folder, sha256_of
from preceptor.models.onnx import open_tokenizer, open_weights
from preceptor.models.token_embedder import TokenVectors
from preceptor.settings import Settings

Vector = NDArray[np.float32]
UNKNOWN_TOKENS_LIMIT = 0.10
"""Share of tokens unknown to the tokenizer above which a text gets no vector. (chosen)"""
FOREIGN_LETTERS_LIMIT = 0.10
"""Share of letters of scripts that no declared language uses, above which a text gets none. (chosen)"""
_SCRIPTS: dict[str, tuple[str, ...]] = {
    "ar": ("ARABIC",),
    "de": ("LATIN",),
    "en": ("LATIN",),
    "es": ("LATIN",),
    "fr": ("LATIN",),
    "hi": ("DEVANAGARI",),
    "ja": ("CJK", "HIRAGANA", "KATAKANA"),
    "ru": ("CYRILLIC",),
    "zh": ("CJK",),
}
_KNOWN_LANGUAGES: dict[str, tuple[str, ...]] = {"all-minilm-l6-v2-int8": ("en",)}
_BATCH = 16
_GREEK_IS_MATHS = "GREEK"


class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def fingerprint(self) -> str:
        """What vectors must share to be compared: weights, tokenizer, cut."""
        ...

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages it was made for, BCP 47."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        ...

    def embed(self, texts: Sequence[str], *, language: str | None = None) -> list[Vector | None]:
        """Return one unit vector a text, float32, or `None` for a text it must not judge.

        Args:
            texts: In any number.
            language: Their language where it is known; one that is not declared gives `None` for all.
        """
        ...


class OnnxEmbedder:
    """A sentence transformer as an ONNX file beside its tokenizer.json: mean over tokens, then length 1."""

    def __init__(self, folder: Path, *, languages: tuple[str, ...], max_tokens: int) -> None:
        """Load an embedder.

        Args:
            folder: Holds `model.onnx` and `tokenizer.json`.
            languages: What it was made for, BCP 47 primary tags.
            max_tokens: A text is cut to so many tokens.

        Raises:
            MissingExtraError: onnxruntime or tokenizers cannot be imported.
            ModelError: A file is missing or cannot be read.
            SettingsError: A language's script is not known here.
        """
        unknown = [language for language in languages if language not in _SCRIPTS]
        if unknown:
            raise SettingsError(f"embedder languages {unknown} are not known; known: {', '.join(sorted(_SCRIPTS))}")
        self._languages = languages
        self._scripts = tuple({script for language in languages for script in _SCRIPTS[language]})
        weights, words = folder / "model.onnx", folder / "tokenizer.json"
        for file in (weights, words):
            if not file.is_file():
                raise ModelError(f"no embedder: {file} is missing; run `preceptor model fetch {folder.name}`")
        self._tokenizer = open_tokenizer(words, max_tokens=max_tokens)
        self._unknown = self._tokenizer.token_to_id("[UNK]")
        self._session = open_weights(weights)
        self._inputs = {one.name for one in self._session.get_inputs()}
        self._dimensions = int(self._session.get_outputs()[0].shape[-1])
        self._fingerprint = f"{folder.name}:{sha256_of(weights)[:12]}:{sha256_of(words)[:12]}:{max_tokens}"

    @property
    def fingerprint(self) -> str:
        """Name, weights, tokenizer and cut."""
        return self._fingerprint

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages it was made for."""
        return self._languages

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._dimensions

    def embed(self, texts: Sequence[str], *, language: str | None = None) -> list[Vector | None]:
        """Return one unit vector a text, or `None`; texts are taken in batches of like length."""
        found: list[Vector | None] = [None] * len(texts)
        for places, encodings in self._batches(texts, language):
            for i, vector in zip(places, _text_vectors(*self._hidden([one.ids for one in encodings])), strict=True):
                found[i] = vector
        return found

    def embed_tokens(self, texts: Sequence[str], *, language: str | None = None) -> list[TokenVectors | None]:
        """Return unit vectors of each text's tokens with the text's own, or `None`; see `TokenEmbedder`."""
        found: list[TokenVectors | None] = [None] * len(texts)
        for places, encodings in self._batches(texts, language):
            hidden, mask = self._hidden([one.ids for one in encodings])
            vectors = _text_vectors(hidden, mask)
            for row, (i, encoding) in enumerate(zip(places, encodings, strict=True)):
                kept = slice(1, len(encoding.ids) - 1)
                rows = hidden[row, kept]
                found[i] = TokenVectors(
                    text_vector=vectors[row],
                    vectors=(rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32),
                    spans=tuple(encoding.offsets[kept]),
                )
        return found

    def _batches(self, texts: Sequence[str], language: str | None) -> Iterator[tuple[list[int], list[Any]]]:
        """Return the places of the texts it may judge with their encodings, in batches of like length."""
        if language is not None and language.split("-")[0].lower() not in self._languages:
            return
        encodings = self._tokenizer.encode_batch(list(texts))
        fit = [i for i, text in enumerate(texts) if self._reads(text, encodings[i].ids)]
        fit.sort(key=lambda i: len(encodings[i].ids))
        for start in range(0, len(fit), _BATCH):
            chosen = fit[start : start + _BATCH]
            yield chosen, [encodings[i] for i in chosen]

    def _reads(self, text: str, token_ids: list[int]) -> bool:
        inner = token_ids[1:-1]
        if not inner:
            return False
        if sum(token == self._unknown for token in inner) > UNKNOWN_TOKENS_LIMIT * len(inner):
            return False
        letters = [letter for letter in text if letter.isalpha()]
        foreign = sum(not self._knows(letter) for letter in letters)
        return foreign <= FOREIGN_LETTERS_LIMIT * len(letters)

    def _knows(self, letter: str) -> bool:
        name = unicodedata.name(letter, "")
        return name.startswith((*self._scripts, _GREEK_IS_MATHS)) or letter.isascii()

    def _hidden(self, token_ids: list[list[int]]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Return the model's vectors, (n_texts, longest, n_dims), and which are of tokens, (n_texts, longest)."""
        longest = max(len(ids) for ids in token_ids)
        ids = np.zeros((len(token_ids), longest), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, tokens in enumerate(token_ids):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        return self._session.run(None, {name: given[name] for name in self._inputs})[0], mask


def _text_vectors(hidden: NDArray[np.float32], mask: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return unit vectors of texts, (n_texts, n_dims): the mean over their tokens."""
    weights = mask[:, :, None].astype(np.float32)
    mean = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
    unit: NDArray[np.float32] = (mean / np.linalg.norm(mean, axis=1, keepdims=True)).astype(np.float32)
    return unit


def open_embedder(settings: Settings) -> OnnxEmbedder | None:
    """Return the embedder of the settings, or `None` where its weights are not here: then words must do.

    Raises:
        SettingsError: The folder of an embedder of the owner's own does not declare its languages.
        ModelError: The weights are here and cannot be read.
    """
    name = settings.embedder.name
    folder = model_folder(settings.home, name)
    if not (folder / "model.onnx").is_file():
        return None
    return OnnxEmbedder(folder, languages=embedder_languages(folder), max_tokens=settings.embedder.max_tokens)


def embedder_languages(folder: Path) -> tuple[str, ...]:
    """Return the languages of a known embedder, or those that `embedder.toml` in the folder declares.

    Raises:
        SettingsError: Neither says any; `languages = ["en", "de"]` is what is expected.
    """
    if folder.name in _KNOWN_LANGUAGES:
        return _KNOWN_LANGUAGES[folder.name]
    file = folder / "embedder.toml"
    try:
        declared = tomllib.loads(file.read_text(encoding="utf-8")).get("languages")
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f'{file}: expected a file with `languages = ["en", …]`') from error
    if not isinstance(declared, list) or not declared or not all(isinstance(one, str) for one in declared):
        raise SettingsError(f'{file}: expected `languages = ["en", …]`, got {declared!r}')
    return tuple(declared)
