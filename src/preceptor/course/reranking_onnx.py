"""A cross-encoder as an ONNX file beside its tokenizer.json: query and passage read together, one logit a pair."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from preceptor.course.passage_index import PassageIndex
from preceptor.course.reranker import Candidates, Scores, sigmoid
from preceptor.errors import ModelError
from preceptor.models.onnx import open_tokenizer, open_weights

MAX_TOKENS = 256
"""A pair is cut to so many tokens: a query and a passage of 500 characters take about 150. (chosen)"""


class OnnxReranker:
    """Scores pairs with the owner's cross-encoder, such as ms-marco-MiniLM-L-6-v2."""

    def __init__(self, folder: Path) -> None:
        """Load the model.

        Args:
            folder: Holds `model.onnx` and `tokenizer.json`.

        Raises:
            MissingExtraError: onnxruntime or tokenizers cannot be imported.
            ModelError: A file is missing or cannot be read.
        """
        for name in ("model.onnx", "tokenizer.json"):
            if not (folder / name).is_file():
                raise ModelError(f"no reranker: {folder / name} is missing")
        self._name = folder.name
        self._tokenizer = open_tokenizer(folder / "tokenizer.json", max_tokens=MAX_TOKENS, strategy="only_second")
        self._session = open_weights(folder / "model.onnx")
        self._inputs = {one.name for one in self._session.get_inputs()}

    @property
    def name(self) -> str:
        """The folder's name."""
        return f"onnx:{self._name}"

    def rerank(self, index: PassageIndex, candidates: Candidates) -> Scores:
        """Return the sigmoid of each pair's logit."""
        if not len(candidates.rows):
            return np.zeros(0, dtype=np.float32)
        pairs = [(candidates.query, index.passages[row].text) for row in candidates.rows]
        encodings = self._tokenizer.encode_batch(pairs)
        longest = max(len(encoding.ids) for encoding in encodings)
        given = {name: np.zeros((len(pairs), longest), dtype=np.int64) for name in _INPUTS}
        for row, encoding in enumerate(encodings):
            for name, values in zip(_INPUTS, (encoding.ids, encoding.attention_mask, encoding.type_ids), strict=True):
                given[name][row, : len(values)] = values
        logits = np.asarray(self._session.run(None, {name: given[name] for name in self._inputs})[0])
        if logits.shape not in ((len(pairs),), (len(pairs), 1)):
            raise ModelError(f"{self.name}: expected one logit a pair, got shape {logits.shape} for {len(pairs)} pairs")
        return sigmoid(logits.reshape(len(pairs)))


_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
