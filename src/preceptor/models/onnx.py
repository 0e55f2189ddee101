"""Opens a tokenizer and ONNX weights from files, for whatever runs them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from preceptor.errors import MissingExtraError, ModelError


def open_tokenizer(file: Path, *, max_tokens: int, strategy: str = "longest_first") -> Any:
    """Return the tokenizer of a `tokenizer.json`, cutting what is longer and padding nothing.

    Args:
        file: The file.
        max_tokens: Longest text, or pair of texts, in tokens.
        strategy: What of a pair is cut, in the library's words.

    Raises:
        MissingExtraError: The package tokenizers cannot be imported.
        ModelError: The file is no tokenizer.
    """
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise MissingExtraError(f"{file.name} needs the package tokenizers") from error
    try:
        json.loads(file.read_bytes())
    except ValueError as error:
        raise ModelError(f"{file} cannot be read as a tokenizer") from error
    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens, strategy=strategy)
    return tokenizer


def open_weights(file: Path) -> Any:
    """Return a session on one thread that sleeps while it waits: the machine is shared with the rest of a turn.

    Raises:
        MissingExtraError: The package onnxruntime cannot be imported.
        ModelError: The file is no ONNX model.
    """
    try:
        import onnxruntime
        from onnxruntime.capi import onnxruntime_pybind11_state as faults
    except ImportError as error:
        raise MissingExtraError(f"{file.name} needs the package onnxruntime") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    except (faults.Fail, faults.InvalidArgument, faults.InvalidProtobuf, faults.RuntimeException) as error:
        raise ModelError(f"{file} cannot be read as a model") from error
