"""A bulk load that remembers in the store how far it has come, so that the next one of its name goes on from there.

It relies on both loads reading the same rows in the same order, and checks one thing: the last row loaded before.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from piql.errors import InvalidParameter
from piql.store.base import Store, Transaction

Row = Mapping[str, Any]


class ResumedLoad:
    """How many rows of a named load have been loaded, stored in the transaction of each batch as a setting:

    `load of notes: nightly`  →  [4000, digest of row 4000]
    """

    def __init__(self, store: Store, table: str, name: str) -> None:
        if not isinstance(name, str) or name != name.encode("utf-8", "replace").decode():  # half a surrogate pair
            raise InvalidParameter(f"resume is {name!r}: give a name that can be kept as text")
        self._name = name
        self._setting = f"load of {table}: {name}"
        progress_text = store.settings().get(self._setting)
        progress: tuple[int, str] = json.loads(progress_text) if progress_text else (0, "")
        self.loaded, self._digest = progress

    def left(self, rows: Iterator[Row]) -> Iterator[Row]:
        """Skip the rows loaded before and return the others; raise InvalidParameter if the last one skipped differs."""
        if self.loaded:
            last = next(islice(rows, self.loaded - 1, None), None)
            if last is None or _digest(last) != self._digest:
                why = "the rows do not begin with those that are in: load them in the same order, or under another name"
                raise InvalidParameter(f"{self._name} has loaded {self.loaded} rows before, and {why}")
        return rows

    def keep(self, transaction: Transaction, batch: list[Row]) -> None:
        """Store, in the transaction of a batch, that its rows are loaded."""
        self.loaded += len(batch)
        transaction.set_setting(self._setting, json.dumps([self.loaded, _digest(batch[-1])]))

    def forget(self, store: Store) -> None:
        """Forget the progress of a complete load: the next load of this name begins at its first row."""
        if self.loaded:
            with store.transaction() as transaction:
                transaction.set_setting(self._setting, "")


def _digest(row: Row) -> str:
    return hashlib.sha256(repr(sorted(row.items())).encode("utf-8", "backslashreplace")).hexdigest()[:16]
