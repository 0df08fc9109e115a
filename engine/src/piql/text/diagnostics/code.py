"""The page of one diagnostic code."""

from __future__ import annotations

from dataclasses import dataclass

from piql.text.diagnostics.diagnostic import Severity


@dataclass(frozen=True, slots=True)
class Code:
    """A stable slug with its page: a title, an explanation, and an example that raises it."""

    slug: str
    title: str
    explanation: str
    example: str
    severity: Severity = "error"
    statement: str = ""  # where set, this bare statement raises it against the deployed example
