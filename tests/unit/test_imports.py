"""Imports point one way; packages of one level do not import each other."""

from __future__ import annotations

import ast
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "preceptor"

ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "child_process": set(),
    "domain": {"errors"},
    "settings": {"errors"},
    "maths": {"errors", "child_process", "domain", "settings"},
    "prompts": {"errors", "domain", "settings"},
    "models": {"errors", "domain", "settings", "prompts"},
    "stores": {"errors", "domain", "settings"},
    "messages": {"errors"},
}


def _grow(names: tuple[str, ...], below: tuple[str, ...]) -> None:
    base = set(below).union(*(ALLOWED[name] for name in below))
    for name in names:
        ALLOWED[name] = set(base)


_grow(("record", "safety"), ("maths", "models", "stores", "messages"))
_grow(("pedagogy", "concepts"), ("record", "safety"))
_grow(("experience", "memory", "course", "tracing"), ("pedagogy", "concepts"))
_grow(("tutoring",), ("experience", "memory", "course", "tracing"))
_grow(("solving", "practice"), ("tutoring",))
_grow(("lab", "server", "cli"), ("solving", "practice"))
ALLOWED["lab"] |= {"testing"}
ALLOWED["testing"] = set(ALLOWED["solving"])
ALLOWED["cli"] |= {"lab", "server"}
"""The command line starts the server and runs the lab: it is the entry point above both."""


def imported_packages(path: Path) -> set[str]:
    """Return the `preceptor` subpackages that one file imports, wherever in it the import stands."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names] + [node.module]
        for name in names:
            parts = name.split(".")
            if parts[0] == "preceptor" and len(parts) > 1 and parts[1] != "__version__":
                found.add(parts[1])
    return found


def test_every_import_follows_the_table() -> None:
    wrong: list[str] = []
    for path in sorted(SOURCE.rglob("*.py")):
        package = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        if package == "__init__":
            continue
        assert package in ALLOWED, f"{package} has no level: add it to the table and to docs/design"
        wrong += [
            f"{path.relative_to(SOURCE)} imports {other}"
            for other in sorted(imported_packages(path) - ALLOWED[package] - {package})
        ]
    assert not wrong, "\n".join(wrong)
