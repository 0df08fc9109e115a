"""Tables, code blocks and docstrings as Markdown."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; bars inside a cell are escaped."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def block(text: str, language: str = "") -> str:
    """Return a block of code in Markdown."""
    return f"```{language}\n{text.rstrip()}\n```"


def code(text: str) -> str:
    """Return a text in backticks."""
    return f"`{text}`"


def codes(texts: Iterable[str]) -> str:
    """Return texts in backticks, with commas between them."""
    return ", ".join(map(code, texts))


def docstring(value: object) -> str:
    """Return a docstring without its indentation, empty when there is none of its own."""
    docstring_text = getattr(value, "__doc__", None) or ""
    name = getattr(value, "__name__", "")
    is_signature = docstring_text.startswith(f"{name}(")  # written by dataclasses
    return "" if is_signature else inspect.cleandoc(docstring_text)


def first_sentence(value: object) -> str:
    """Return the first paragraph of a docstring on one line."""
    return docstring(value).split("\n\n")[0].replace("\n", " ")
