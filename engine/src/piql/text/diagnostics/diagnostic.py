"""A `Diagnostic`: a message with a span, further labels, help and fixes. Diagnostics are collected, never raised."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, overload

from piql.text.source import Span
from piql.trees.cached_property import cached_property

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
    """A set of edits, applied together; it has been compiled before it is offered.

    `consequence` and `cost` are empty for a correction of text that did not compile.
    """

    title: str
    edits: tuple[Edit, ...]
    unblocks: tuple[str, ...] = ()  # other queries that this fix makes bounded
    consequence: str = ""  # what it changes for those who ask and write: the rows of the answer, what is refused
    cost: str = ""  # the bound that the query then has, in words

    @property
    def price(self) -> str:
        """What the fix changes and what the query then costs, in one line."""
        return "; ".join(part for part in (self.consequence, self.cost) if part)


class FoundFixes(NamedTuple):
    """The fixes that were found, and how many sets of changes were left untried, since each takes a compilation."""

    fixes: tuple[Fix, ...]
    untried: int = 0


class LaterFixes(Sequence[Fix]):
    """The fixes of a diagnostic, computed when they are first read, since each takes several compilations.

    It equals the tuple of its fixes.
    """

    def __init__(self, find: Callable[[], FoundFixes]) -> None:
        self._find = find

    @cached_property
    def found(self) -> FoundFixes:
        """The fixes, and how many were not tried; computed once."""
        return self._find()

    @property
    def all(self) -> tuple[Fix, ...]:
        """The fixes."""
        return self.found.fixes

    @overload
    def __getitem__(self, at: int) -> Fix: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Fix, ...]: ...
    def __getitem__(self, at: int | slice) -> Fix | tuple[Fix, ...]:
        return self.all[at]

    def __len__(self) -> int:
        return len(self.all)

    def __iter__(self) -> Iterator[Fix]:
        return iter(self.all)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, tuple | LaterFixes) and self.all == tuple(other)

    def __hash__(self) -> int:
        return hash(self.all)

    def __reduce__(self) -> tuple[type[tuple[Fix, ...]], tuple[tuple[Fix, ...]]]:
        return tuple, (self.all,)

    def __repr__(self) -> str:
        return repr(self.all)


@dataclass(frozen=True, slots=True)
class Label:
    """A second span that belongs to the diagnostic, with a note on why."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message of the compiler: a stable code, a text in the user's own words, and its span."""

    code: str
    severity: Severity
    message: str
    span: Span
    labels: tuple[Label, ...] = ()
    help: tuple[str, ...] = ()
    fixes: Sequence[Fix] = ()
    query: str | None = None  # the CREATE QUERY it belongs to
    allowed: str = ""  # why, where a comment in the text allows it; then it is a hint

    @property
    def advice(self) -> tuple[str, ...]:
        """The help, and what was not tried for it: the fixes are looked for, if they have not been."""
        untried = self.fixes.found.untried if isinstance(self.fixes, LaterFixes) else 0
        if not untried:
            return self.help
        sets = "one more set of changes was" if untried == 1 else f"{untried:,} more sets of changes were"
        return (*self.help, f"{sets} not tried for this query: close one gap, and more is tried for the others")
