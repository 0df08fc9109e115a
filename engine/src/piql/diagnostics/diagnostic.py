"""What a user is told: a `Diagnostic` with a span, further labels, help and fixes. Collected, never raised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from piql.frozen import quick
from piql.source import Span

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the code points `start..end` of `file` by `text`."""

    file: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A set of edits, applied together, that has been compiled before it is offered."""

    title: str
    edits: tuple[Edit, ...]
    unblocks: tuple[str, ...] = ()  # other queries that this fix makes bounded


@dataclass(frozen=True, slots=True)
class Label:
    """A second place that belongs to the finding, with a word on why."""

    span: Span
    text: str


@quick
@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding: a stable code, a message in the words of the user's text, and where it is."""

    code: str
    severity: Severity
    message: str
    span: Span
    labels: tuple[Label, ...] = ()
    help: tuple[str, ...] = ()
    fixes: tuple[Fix, ...] = ()
    query: str | None = None  # the CREATE QUERY it belongs to
