"""Where a write takes its steps: in a transaction of the store, or step by step on a store without transactions.

Both change the record of a primary key by a decision, and look up which record has a UNIQUE value. What a lookup says
may be out of date when the record is changed, so the decision tests it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from piql.errors import DuplicateKey
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.stepped.writer import Decide, SteppedWriter
from piql.runtime.writing.table_rules.constraints import UniqueCheck
from piql.runtime.writing.transactional import TableWriter
from piql.store.base import Transaction
from piql.store.rows import Row


class WritePath(Protocol):
    """The steps of one execution of a write, which count their requests in its meter."""

    def write(self, key: Row, decide: Decide) -> None:
        """Change the record of a primary key by a decision; raise what it raises, and violations of constraints."""

    def owner(self, unique: UniqueCheck, value: Row) -> Row | None:
        """Return the primary key of the record that has a UNIQUE value, or is about to have it; None for no record."""

    def has_duplicate(self, uniques: Sequence[UniqueCheck], record: Row) -> bool:
        """Return whether another record has a value of these UNIQUE keys, if finding it later must be taken back."""

    def begin_again(self, refusal: DuplicateKey | None = None) -> None:
        """Prepare another try, after a lookup that has come out of date; raise `refusal` where that cannot be."""


class TransactionalPath:
    """The steps of a write in one transaction, which nobody else's write comes between."""

    def __init__(self, writer: TableWriter, transaction: Transaction, meter: Meter) -> None:
        self._writer = writer
        self._transaction = transaction
        self._meter = meter

    def write(self, key: Row, decide: Decide) -> None:
        old = self._writer.read(self._transaction, self._meter, key)
        self._writer.apply(self._transaction, self._meter, old, decide(old))

    def owner(self, unique: UniqueCheck, value: Row) -> Row | None:
        self._meter.step(1)
        return unique.owner(self._transaction, value)

    def has_duplicate(self, uniques: Sequence[UniqueCheck], record: Row) -> bool:
        return False  # it is found before anything is written

    def begin_again(self, refusal: DuplicateKey | None = None) -> None:
        assert refusal is not None, "an entry of a UNIQUE key and its record differ"
        raise refusal


class SteppedPath:
    """The steps of a write among those of others; its tries end with those of `Backoff`."""

    def __init__(self, writer: SteppedWriter, meter: Meter) -> None:
        self._writer = writer
        self._meter = meter
        self._backoff = writer.backoff()

    def write(self, key: Row, decide: Decide) -> None:
        self._writer.write(key, decide, self._meter)

    def owner(self, unique: UniqueCheck, value: Row) -> Row | None:
        self._meter.step(1)
        return self._writer.slots_of(unique).owner(value)

    def has_duplicate(self, uniques: Sequence[UniqueCheck], record: Row) -> bool:
        key = self._writer.writer.key_of(record)
        for unique in uniques:
            value = unique.value(record)
            owner = self.owner(unique, value) if value is not None else None
            if owner is None or owner == key:
                continue
            self._meter.step(1)
            if unique.value(self._writer.records.image(self._writer.records.find(owner))) == value:
                return True  # and is no write that may still be refused
        return False

    def begin_again(self, refusal: DuplicateKey | None = None) -> None:
        self._meter.begin_again()
        self._backoff.pause()
