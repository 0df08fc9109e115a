"""A view, kept up to date by the writes to its table: from rows before and after a write to the groups that change.

orders (7, "ada", 5.00) becomes (7, "bob", 6.00):      ("ada", n - 1, total - 5.00)     ("bob", n + 1, total + 6.00)

A row enters and leaves by a write that changes whether WHERE is true for it. The rows of a view of several tables are
found before the write and after it (`joined_rows`). Each group takes a get of its row and a
write of it, in the transaction of the write: so it counts exactly once. A group without rows has none. Sums are exact;
one that its column cannot hold raises ConstraintViolation and refuses the write. An average is computed anew from the
sum and the count beside it, so that it never drifts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from piql.errors import ConstraintViolation, NumberOutOfRange
from piql.runtime.deployment import Deployment
from piql.runtime.execution.numbers import average_of_sum, checked_result
from piql.runtime.writing.joined_rows import Begun, Change, JoinedRows, JoinsOfTable
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.table_rules.check_constraint import compiled_test
from piql.runtime.writing.table_rules.entries import IndexEntries
from piql.runtime.writing.table_rules.records import Keep, keeper
from piql.schema.catalog import Kind, RowTest, Table, ViewAggregate
from piql.schema.decimals import WIDE, without_minus_zero
from piql.schema.view_stripes import STRIPE
from piql.store.base import Reads, Store, Transaction
from piql.store.rows import Row

IsFilled = Callable[[], Callable[[Row], bool]]
"""Returns, inside a transaction, a function that tells whether the record of a primary key is counted already."""

Refuse = Callable[[Transaction, str], None]
"""Leaves the view of another version to itself, since it cannot hold a write; it is given why not, in words."""


class GroupWriter(Protocol):
    """Reads and writes the rows of a view, with their index entries: a `TableWriter`."""

    indexes: list[IndexEntries]

    def read(self, transaction: Transaction, meter: Meter, key: Row) -> Row | None: ...

    def apply(self, transaction: Transaction, meter: Meter, old: Row | None, new: Row | None) -> None: ...


class KeptView:
    """One view of a table whose records have the columns of `record`; `groups` writes its rows.

    Of a view of several tables, `joins` find the rows that a record is in, and `record` has the columns of those.
    """

    def __init__(
        self,
        view: Table,
        record: Table,
        store: Store,
        groups: GroupWriter,
        refuse: Refuse | None = None,
        is_filled: IsFilled | None = None,
        joins: JoinsOfTable | None = None,
    ) -> None:
        assert view.view is not None
        self.table = view
        self.joins = joins
        self.groups = groups
        self._is_filled = is_filled
        self._refuse = refuse
        positions = {column.name: at for at, column in enumerate(record.columns)}
        self._counts = _test_of(view.view.condition, positions, store)
        self._key = tuple(positions[column] for _, column in view.view.keys)
        self._in_place_of_null = _stored_stand_ins(view, store)
        self._windows = _windows_of(view, record, store)
        self._stripe = _stripe_of(view, record, store)
        self._primary_key = tuple(positions[name] for name in record.primary_key)
        kept = [part for part in view.view.aggregates if part.function != "AVG"]
        self._parts = [_Part(part, view, record, positions, store) for part in kept]
        names = [column.name for column in view.columns]
        at = {name: number for number, name in enumerate(names)}
        self._key_positions = tuple(at[name] for name in view.primary_key)
        self._part_positions = tuple(at[part.name] for part in kept)
        self._width = len(names)
        self._rows_part = next(
            number for number, part in enumerate(kept) if part.function == "COUNT" and not part.column
        )
        number_of = {part.name: number for number, part in enumerate(kept)}
        self._counter = [number_of[part.counted_by] if part.counted_by is not None else None for part in kept]
        self._averages = [
            _Average(part, view, store, at[part.name], number_of)
            for part in view.view.aggregates
            if part.function == "AVG"
        ]

    def begin(self, transaction: Transaction, meter: Meter, changes: Sequence[Change]) -> Begun | None:
        """Return what `keep` has to know of the time before a write; nothing for a view of one table.

        Raises ConstraintViolation as `keep`, here for a record whose rows no limit bounds.
        """
        if self.joins is None:
            return None
        try:
            return self.joins.begin(transaction, meter, changes)
        except ConstraintViolation as violation:
            self._refuse_write(transaction, violation)
            return None

    def keep(
        self, transaction: Transaction, meter: Meter, changes: Iterable[Change], begun: Begun | None = None
    ) -> None:
        """Change the groups of records that a write has changed.

        A sum out of range raises ConstraintViolation, unless only another version than the one in force has the view.
        """
        try:
            if self.joins is not None:
                changes = self.joins.finish(transaction, meter, begun) if begun is not None else ()
            self._keep(transaction, meter, changes)
        except ConstraintViolation as violation:
            self._refuse_write(transaction, violation)

    def _refuse_write(self, transaction: Transaction, violation: ConstraintViolation) -> None:
        if self._refuse is None:
            raise violation
        self._refuse(transaction, str(violation))

    def _keep(self, transaction: Transaction, meter: Meter, changes: Iterable[Change]) -> None:
        is_counted = self._is_filled() if self._is_filled is not None else None
        for key, delta in self._deltas(changes, is_counted).items():
            if any(delta):
                old = self.groups.read(transaction, meter, key)
                self.groups.apply(transaction, meter, old, self.gained(key, old, delta))

    def _deltas(self, changes: Iterable[Change], is_counted: Callable[[Row], bool] | None) -> dict[Row, list[Any]]:
        """Return what each group gains, by its key: a number for each aggregate."""
        deltas: dict[Row, list[Any]] = {}
        for old, new in changes:
            record = new if new is not None else old
            if record is None:
                continue
            if is_counted is not None and not is_counted(tuple([record[at] for at in self._primary_key])):
                continue
            for sign, row in ((-1, old), (1, new)):
                if row is not None:
                    self.count(deltas, row, sign)
        return deltas

    def count(self, groups: dict[Row, list[Any]], record: Row, sign: int = 1) -> None:
        """Add what a record gives its groups, or take it away: a number for each aggregate, by the group's key."""
        if not self._counts(record):
            return
        key = tuple([record[at] for at in self._key])
        if None in key:
            key = tuple([self._in_place_of_null[at] if part is None else part for at, part in enumerate(key)])
            if None in key:  # of a version in which the column may be NULL: the coming one is refused, or has none
                return
        if self._stripe is not None:
            key = (*key, self._stripe(record))
        gains = [part.of(record) for part in self._parts]
        for group in (key,) if self._windows is None else self._windows(key):
            numbers = groups.setdefault(group, [0] * len(self._parts))
            for number, part in enumerate(self._parts):
                numbers[number] = part.plus(numbers[number], gains[number], sign)

    def key_of(self, row: Row) -> Row:
        """Return the key of a row of the view."""
        return tuple([row[position] for position in self._key_positions])

    def row_of(self, key: Row, numbers: list[Any]) -> Row | None:
        """Return the row of a group that was counted from nothing; None where it has no rows."""
        return self.gained(key, None, numbers)

    def empty(self, key: Row) -> Row:
        """Return the row of a group that only a store without transactions keeps: its key, and nothing counted."""
        row: list[Any] = [None] * self._width
        for position, value in zip(self._key_positions, key, strict=True):
            row[position] = value
        return tuple(row)

    def gained(self, key: Row, old: Row | None, delta: list[Any]) -> Row | None:
        """Return the row of a group with what it gains; None where it has no rows any more."""
        before = [None] * len(self._parts) if old is None else [old[position] for position in self._part_positions]
        values = [
            part.plus(part.decoded(value), gain, 1)
            for part, value, gain in zip(self._parts, before, delta, strict=True)
        ]
        rows = values[self._rows_part]
        if rows < 0:
            raise ConstraintViolation(
                f"{self.table.name} does not hold what its table gives, so nothing more is written: "
                "deploy the view under another name, which fills it anew"
            )
        if rows == 0:
            return None
        row: list[Any] = [None] * self._width
        for position, value in zip(self._key_positions, key, strict=True):
            row[position] = value
        for number, (position, part) in enumerate(zip(self._part_positions, self._parts, strict=True)):
            counter = self._counter[number]
            is_null = counter is not None and values[counter] == 0
            row[position] = None if is_null else part.kept(values[number])
        for average in self._averages:
            row[average.position] = average.of(values)
        return tuple(row)


def kept_by_writes(
    view: Table,
    record: Table,
    deployment: Deployment,
    store: Store,
    groups: GroupWriter,
    refuse: Refuse | None = None,
    is_filled: IsFilled | None = None,
) -> KeptView:
    """Return a view as the writes of one of its tables keep it; the table's records have the columns of `record`."""
    assert view.view is not None
    if not view.view.joins:
        return KeptView(view, record, store, groups, refuse, is_filled)
    rows = JoinedRows(view, deployment, store)
    joins = rows.of_table(record, is_coming=refuse is not None)
    return KeptView(view, rows.table, store, groups, refuse, is_filled, joins)


class CountedView:
    """A view as a walk of one of its tables counts it, whose records have the columns of `record`: from nothing."""

    def __init__(self, view: Table, record: Table, deployment: Deployment, store: Store, groups: GroupWriter) -> None:
        assert view.view is not None
        joined = JoinedRows(view, deployment, store) if view.view.joins else None
        self._found = joined.walk(record) if joined is not None else None
        self.view = KeptView(view, joined.table if joined is not None else record, store, groups)

    def rows(self, reads: Reads, record: Row) -> list[Row]:
        """Return the rows of the view that a record is in."""
        return [record] if self._found is None else self._found(reads, Meter(), record)


def _stored_stand_ins(view: Table, store: Store) -> Row:
    """Return what stands for NULL in each part of a group's key, as it is stored; None where nothing does."""
    assert view.view is not None
    values = {stand_in.column: stand_in.value for stand_in in view.view.stand_ins}
    stored: list[Any] = []
    for name, source in view.view.keys:
        column = view.column(name)
        assert column is not None
        stored.append(keeper(view, column, store)(values[source]) if source in values else None)
    return tuple(stored)


def _windows_of(view: Table, record: Table, store: Store) -> Callable[[Row], Iterable[Row]] | None:
    """Return what gives the keys of a group in all windows, from one that has the time itself; None without windows."""
    assert view.view is not None
    window = view.view.window
    if window is None:
        return None
    at = next(number for number, (_, column) in enumerate(view.view.keys) if column == window.column)
    column, source = view.column(view.view.keys[at][0]), record.column(window.column)
    assert column is not None
    assert source is not None
    keep, codec = keeper(view, column, store), store.codec(source.type)
    beginnings = window.beginnings

    def keys(key: Row) -> Iterable[Row]:
        time = codec.decode(key[at]) if codec is not None else key[at]
        return [(*key[:at], keep(beginning), *key[at + 1 :]) for beginning in beginnings(time)]

    return keys


def _stripe_of(view: Table, record: Table, store: Store) -> Callable[[Row], Any] | None:
    """Return what gives the stripe of a record, as it is stored; None where a group is one row."""
    assert view.view is not None
    stripes, column = view.view.stripes, view.column(STRIPE)
    if stripes is None:
        return None
    assert column is not None
    names = [column.name for column in record.columns]
    keep, positions = keeper(view, column, store), [names.index(name) for name in stripes.by]
    return lambda row: keep(stripes.stripe_of([row[at] for at in positions]))


def _test_of(condition: RowTest | None, positions: Mapping[str, int], store: Store) -> Callable[[Row], bool]:
    """Return what tells whether a view counts a record."""
    if condition is None:
        return lambda record: True
    compiler, test = compiled_test(condition, positions, store)
    return compiler.function("r", compiler.is_true(test))


class _Average:
    """One AVG of a view, at its position in the row: a SUM and a COUNT beside it, which have these numbers."""

    def __init__(
        self, part: ViewAggregate, view: Table, store: Store, position: int, number_of: Mapping[str, int]
    ) -> None:
        assert part.summed_by is not None
        assert part.counted_by is not None
        column = view.column(part.name)
        assert column is not None
        self.position = position
        self._kept = keeper(view, column, store)
        self._sum, self._count = number_of[part.summed_by], number_of[part.counted_by]

    def of(self, values: Sequence[Any]) -> Any:
        """Return the average as it is stored; NULL of no values."""
        count = values[self._count]
        return self._kept(average_of_sum(values[self._sum], count)) if count else None


def _keeper_of_decimal_sum(view: Table, part: ViewAggregate, keep: Keep) -> Keep:
    """Return the function from an exact sum to what is stored of it; a view holds the sums that a query may give."""
    column = view.column(part.name)
    assert column is not None
    checked = checked_result(column.type, f"{part.function}({part.column})")

    def keep_sum(exact: Any) -> Any:
        try:
            return keep(checked(exact))
        except NumberOutOfRange as refusal:
            raise ConstraintViolation(f"{view.name}.{part.name}: {refusal}") from None

    return keep_sum


class _Part:
    """One COUNT or SUM of a view: what a record adds to it, and how it is stored."""

    def __init__(
        self, part: ViewAggregate, view: Table, record: Table, positions: dict[str, int], store: Store
    ) -> None:
        column = view.column(part.name)
        assert column is not None
        self._position = positions[part.column] if part.column is not None else None
        self._counts = part.function == "COUNT"
        keep = keeper(view, column, store)
        self.kept = _keeper_of_decimal_sum(view, part, keep) if column.type.kind is Kind.DECIMAL else keep
        codec = store.codec(column.type)
        self._decode_kept = codec.decode if codec else None
        source = record.column(part.column) if part.column is not None else None
        source_codec = store.codec(source.type) if source is not None else None
        self._decode = source_codec.decode if source_codec else None

    def of(self, record: Row) -> Any:
        """Return what a record adds: 1 or 0 to a COUNT, its value or 0 to a SUM."""
        value = record[self._position] if self._position is not None else 1
        if self._counts:
            return int(value is not None)
        if value is None:
            return 0
        return self._decode(value) if self._decode is not None else value

    def decoded(self, value: Any) -> Any:
        """Return a number that the view holds; 0 for NULL."""
        if value is None:
            return 0
        return self._decode_kept(value) if self._decode_kept is not None else value

    @staticmethod
    def plus(total: Any, gain: Any, sign: int) -> Any:
        """Add or take away exactly."""
        if isinstance(total, int) and isinstance(gain, int):
            return total + sign * gain
        return without_minus_zero(WIDE.add(total, gain) if sign > 0 else WIDE.subtract(total, gain))
