"""What a store keeps: rows in its stored form, and the states of records and entries."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any, NamedTuple, TypeAlias

Row: TypeAlias = tuple[Any, ...]


PreparedRead: TypeAlias = Any  # what an adapter's `prepare` returns; only that adapter looks inside


PreparedEntries: TypeAlias = Any  # what an adapter's `prepare_entries` returns


WRITE = "#write"  # the hidden column of a record that names the write which left it as it is


STATE = "#state"  # the hidden column of a record or entry that holds its State; both may be asked for in a ReadShape


class State(IntEnum):
    """What a record or an entry is to readers; only a store with `row_writes` keeps other states than VISIBLE.

    Reads leave out GONE and LEAVING, and COMING unless the shape `sees_coming` (the store does, not the engine: their
    limit counts what is returned). A store forgets COMING and GONE records by itself, `KEPT_SECONDS` after they were
    written.
    """

    VISIBLE = 0  # a record that is there; an entry that matches its record
    DOUBTFUL = 1  # a record about to be deleted; an entry that holds only if its record says so
    COMING = 2  # a record whose constraints are still being checked
    GONE = 3  # a record that was deleted: kept so that no write that was made before comes after it
    LEAVING = 4  # a record that was deleted, before all views know of it; a group of a view that has no rows


FORGOTTEN = (State.COMING, State.GONE)
"""The states that a store forgets by itself, but for records that a unit holds."""


HOLDS = "~"
"""Stands in the name of a write by which a unit holds a record. Such a record is never forgotten."""


KEPT_SECONDS = 3600
"""No step arrives later than this after it was sent, and no two machines' clocks differ by more."""


class Codec(NamedTuple):
    """How the values of one type are stored; neither function is ever given None."""

    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]
