"""The child process of `symbolic`: one JSON pair of LaTeX expressions a line in, one verdict a line out.

Started by `symbolic` only. It limits itself before it reads anything: memory, processor time per request, no
file writes. math-verify is imported nowhere else.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable

MEMORY_BYTES = 2 * 2**30
CPU_S = 3
_START_CPU_S = 60
_WARM_UP = (
    ("\\frac{1}{2}", "0.5"),
    ("\\left(\\sin\\left(x\\right)\\right)^{2}+\\left(\\cos\\left(x\\right)\\right)^{2}", "1"),
    ("\\sqrt{\\left(3+\\sqrt{x}\\right)}", "\\ln\\left(x\\right)"),
)
"""Asked once before "ready": the first question of a kind loads code for a second or more."""


def main() -> None:
    """Serve until standard input closes."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _allow_cpu(_START_CPU_S)
    same = _load()
    for reference, answer in _WARM_UP:
        same(reference, answer)
    _say({"ready": True})
    for line in sys.stdin:
        _allow_cpu(CPU_S)
        reference, answer = json.loads(line)
        try:
            equal = same(reference, answer)
        except (
            ArithmeticError,
            TypeError,
            ValueError,
            RecursionError,
            MemoryError,
            NotImplementedError,
            AttributeError,
        ):
            equal = False
        _say({"equal": equal})


def _load() -> Callable[[str, str], bool]:
    from math_verify import LatexExtractionConfig, parse, verify

    def same(reference: str, answer: str) -> bool:
        parsed = [
            parse(
                f"${text}$",
                extraction_config=[LatexExtractionConfig()],
                fallback_mode="no_fallback",
                parsing_timeout=None,
            )
            for text in (reference, answer)
        ]
        return all(parsed) and bool(verify(*parsed, float_rounding=12, timeout_seconds=None))

    return same


def _allow_cpu(seconds: int) -> None:
    """Let the process use so many more seconds of processor time before the kernel ends it."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(usage.ru_utime + usage.ru_stime) + seconds + 1, hard))


def _say(value: dict[str, bool]) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
