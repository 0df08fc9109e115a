"""Names of what a write adds to views, and the text that says which of them a group has counted.

0005f2c9a1b3c4d8-9f3a11c2-1f@9f3a11c2.00000000001f.0005f2c9a1b3c4d8+9  a write, what it adds to views, and its mark
9f3a11c2.00000000001f.0005f2c9a1b3c4d8 …                               `COUNTED` of a group: what it holds already

A contribution is named by the process that makes it, the number of its intent, which says what it adds, and the stamp
of its write, since each try of a write is another one. Later writes of the record that add nothing keep the name behind
theirs. So a record tells which contribution was made last, for as long as its intent may be there.

The mark of a record says which views count it: those that count from a mark that is not higher. A view that is made
with its table counts from 0, where all records are; one that is added later counts from the epoch of its announcement.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from piql.runtime.writing.stepped.intents import group_of
from piql.schema.catalog import Column, Kind, SqlType, Table

COUNTED = "#counted"
"""The hidden column of a view on a store without transactions."""


class Contribution(NamedTuple):
    """What one write adds to the views of its table; its intent has this number in the log of this process."""

    process: str
    number: str
    stamp: str

    @property
    def log(self) -> str:
        """The group of cells in which the intent is."""
        return group_of(self.process)


def contributing(write: str, process: str, number: str, mark: int = 0) -> str:
    """Return the name of a write that adds something to views, from its plain name and that of its intent."""
    return _marked(f"{write}@{_text(Contribution(process, number, write[:16]))}", mark)


def inheriting(write: str, known: str | None, mark: int | None = None) -> str:
    """Return the name of a write that adds nothing to views, in place of the write `known`; None leaves its mark."""
    _, at, contribution = (known or "").partition("+")[0].partition("@")
    return _marked(f"{write}{at}{contribution}", mark_of(known) if mark is None else mark)


def contribution_of(write: str | None) -> Contribution | None:
    """Return the last contribution of the record that a write left; None if it never made one."""
    text = (write or "").partition("+")[0].partition("@")[2]
    return _read(text) if text else None


def mark_of(write: str | None) -> int:
    """Return the mark of the record that a write left."""
    return int((write or "").partition("+")[2] or 0)


def _marked(write: str, mark: int) -> str:
    return f"{write}+{mark}" if mark else write


def counted_text(contributions: list[Contribution]) -> str:
    """Return the contributions that a group holds as text."""
    return " ".join(map(_text, contributions))


def counted_in(text: str | None) -> list[Contribution]:
    """Return the contributions of a text of `counted_text`, the oldest first."""
    return [_read(name) for name in (text or "").split()]


def as_kept(view: Table) -> Table:
    """Return a view as a store without transactions keeps it."""
    return replace(view, columns=(*view.columns, Column(COUNTED, SqlType(Kind.TEXT), nullable=True)))


def _text(contribution: Contribution) -> str:
    return ".".join(contribution)


def _read(text: str) -> Contribution:
    process, number, stamp = text.rsplit(".", 2)
    return Contribution(process, number, stamp)
