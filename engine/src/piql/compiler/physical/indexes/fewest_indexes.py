"""The fewest indexes that serve a set: an index is left out where another one can stand in for it.

item (i_a_id, i_id)                  looked at when an author is deleted
item (i_a_id, i_title, i_id)         searchByAuthor, in the order of titles      → stands in for the first
m (b, id), m (a, b, id)              queries of one b, and of one a and one b    → m (b, a, id) serves both

Enters: the indexes of one table that constraints need and those that plans read, and a way to plan a query again over
the indexes given. Leaves: fewer indexes, and the plans that changed. No query makes more requests for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from piql.compiler.logical.expressions import ColumnRef
from piql.compiler.physical.indexes.index_set import Identity, identity, merged
from piql.compiler.physical.indexes.secondary_index import (
    KEY_SERVES,
    Beginnings,
    Group,
    declared_columns,
    groups_of,
    index_on,
    is_purpose,
)
from piql.compiler.physical.operators import (
    IndexFKJoin,
    IndexScan,
    PhysicalNode,
    SortedIndexJoin,
    operators,
    partition_of,
)
from piql.schema.catalog import Index, IndexColumn, Table
from piql.trees.caches import Cached

Remote: TypeAlias = IndexScan | IndexFKJoin | SortedIndexJoin
Replan: TypeAlias = Callable[[int, PhysicalNode, tuple[Index, ...]], PhysicalNode | None]
"""Plans a query again: takes its number, its present plan, and the indexes of the table that may be read. Returns None
where the bound would be worse, or where the new plan would read another index of another table.
"""


@dataclass(frozen=True, slots=True)
class TableDesign:
    """The indexes that a table needs, and the plans that changed for it, by the number of their query."""

    indexes: tuple[Index, ...]
    changed: Mapping[int, PhysicalNode] = field(default_factory=dict)


def secondary_reads(plan: PhysicalNode) -> tuple[Remote, ...]:
    """Return the reads of a plan that go through a secondary index."""
    return _reads.recall((plan,), lambda: tuple(filter(_is_secondary, operators(plan))))  # type: ignore[arg-type]


_reads: Cached[tuple[Remote, ...]] = Cached(2048)  # by plan: the reads of each are asked for many times


def _is_secondary(node: PhysicalNode) -> bool:
    return isinstance(node, IndexScan | IndexFKJoin | SortedIndexJoin) and not node.index.is_primary


def design_table(
    table: Table, required: Sequence[Index], plans: Mapping[int, PhysicalNode], replan: Replan
) -> TableDesign:
    """Return the fewest indexes of a table that serve its constraints (`required`) and the reads of its plans.

    Indexes with the same key columns become one that holds what any of them holds; its partition is what all of its
    readers fix. Short ones are left out first, and of these first the ones on what reads know before any join: an index
    that begins with that may also be read once, beside the rows that are joined to it.
    """
    design = _Design(table, groups_of(table), {}, dict(plans), replan, frozenset(map(identity, required)))
    design.add(required)
    for number, plan in plans.items():
        design.add_reader(number, plan)
    if len(design.indexes) > 1:
        lengths = {key: len(declared_columns(table, index.columns)) for key, index in design.indexes.items()}
        joined = design.joined_columns()

        def turn(key: Identity) -> tuple[int, bool, str]:
            index = design.indexes[key]
            return lengths[key], not joined.isdisjoint(column.name for column in index.columns[:1]), index.name

        for key in sorted(design.indexes, key=turn):
            candidate = design.indexes.get(key)
            if candidate is not None and _may_go(candidate):
                design.leave_out(candidate)
    return TableDesign(design.settled(), design.changed)


@dataclass(slots=True)
class _Design:
    """The indexes of one table that are kept so far, and the plans over them; a query is known by its number."""

    table: Table
    groups: tuple[Group, ...]  # what the constraints of the table look up
    indexes: dict[Identity, Index]
    plans: dict[int, PhysicalNode]
    replan: Replan
    required: frozenset[Identity]  # the indexes that constraints asked for
    changed: dict[int, PhysicalNode] = field(default_factory=dict)
    readers: dict[Identity, dict[int, None]] = field(default_factory=dict)  # the queries that read each index
    by_first: _ByFirstColumns | None = None  # `indexes` by their first columns; None after a change
    by_columns: dict[frozenset[str], list[Group]] | None = None  # `groups` by the first columns of their index

    def reads_of(self, plan: PhysicalNode) -> Iterable[Remote]:
        """Return the reads of a plan that go through a secondary index of this table."""
        return (read for read in secondary_reads(plan) if read.index.table == self.table.name)

    def joined_columns(self) -> frozenset[str]:
        """Return the columns of which some read takes the value from the rows before a join."""
        return frozenset(
            part.column
            for plan in self.plans.values()
            for read in self.reads_of(plan)
            for part in read.prefix
            if any(isinstance(value, ColumnRef) for value in part.values)
        )

    def add(self, indexes: Iterable[Index]) -> None:
        """Take indexes into the design; those with the same key columns become one."""
        for index in indexes:
            key = identity(index)
            present = self.indexes.get(key)
            self.indexes[key] = index if present is None else merged(present, index, self.table)

    def add_reader(self, number: int, plan: PhysicalNode) -> None:
        """Take the indexes that the plan of a query reads into the design, and note the query as their reader."""
        for read in self.reads_of(plan):
            self.add((read.index,))
            self.readers.setdefault(identity(read.index), {})[number] = None

    def leave_out(self, left: Index) -> None:
        """Drop an index if the others serve its readers and constraints, as they are or with one of them turned.

        An index is turned by putting the columns of the one to be dropped first: m (a, b, id) → m (b, a, id). That is
        allowed if all its readers fix these columns and more.
        """
        by_first = self.by_first = self.by_first or _ByFirstColumns(self.table, self.groups, self.indexes.values())
        first = declared_columns(self.table, left.columns)
        may_be_turned = by_first.fixing([column.name for column in first])
        may_stand_in = self._may_read_without(left, by_first) and (may_be_turned or not self._is_needed(left, by_first))
        if not may_stand_in and not may_be_turned:
            return
        remaining = sorted(
            (index for index in self.indexes.values() if index is not left), key=lambda index: index.name
        )
        stand_ins = self._stand_ins(left, remaining)
        if may_stand_in and self._may_serve(stand_ins, (left,)) and self._try(stand_ins, (left,)):
            return
        for at, stand_in in enumerate(stand_ins):
            turned = _beginning_with(first, stand_in, self.table) if identity(stand_in) in may_be_turned else None
            if turned is not None:
                instead = [*stand_ins[:at], turned, *stand_ins[at + 1 :]]
                if self._may_serve(instead, (left, stand_in)) and self._try(
                    instead, (left, self.indexes[identity(stand_in)])
                ):
                    return

    def _stand_ins(self, left: Index, remaining: list[Index]) -> list[Index]:
        """Return the remaining indexes, with larger partitions where only then a constraint finds its groups.

        Only so many are changed: an index in larger partitions may no longer be turned for another one.
        """
        stand_ins = list(remaining)
        for group in self.groups:
            if group.index_among(self.table, (left,)) is None or group.index_among(self.table, stand_ins) is not None:
                continue
            for at, index in enumerate(stand_ins):
                widened = _widened_for(left, index)
                if widened is not index and group.index_among(self.table, (widened,)) is not None:
                    stand_ins[at] = widened
                    break
        return stand_ins

    def _may_serve(self, stand_ins: Sequence[Index], gone: Sequence[Index]) -> bool:
        """Whether `stand_ins` serve the constraints of the `gone` indexes, and the readers of the first of these."""
        served = (group for group in self.groups if group.index_among(self.table, gone) is not None)
        if any(group.index_among(self.table, stand_ins) is None for group in served):
            return False
        return all(
            any(columns.is_served_by(index) for index in stand_ins) for columns in self._columns_read_by(gone[0])
        )

    def _is_needed(self, left: Index, by_first: _ByFirstColumns) -> bool:
        """Whether a constraint finds its groups by an index, and no other that is kept begins as it must."""
        if self.by_columns is None:
            self.by_columns = {}
            for group in self.groups:
                self.by_columns.setdefault(group.first_columns, []).append(group)
        for columns in by_first.beginnings.of(left):
            for group in self.by_columns.get(columns, ()):
                is_alone = all(index is left for index in by_first.beginnings.beginning(group))
                is_served = is_alone and group.index_among(self.table, (left,)) is not None
                if is_served and group.index_among(self.table, ()) is None:
                    return True
        return False

    def _may_read_without(self, left: Index, by_first: _ByFirstColumns) -> bool:
        """Whether each reader of an index finds its rows by another one that is kept."""
        return all(
            any(index is not left for index in by_first.serving(columns)) for columns in self._columns_read_by(left)
        )

    def _columns_read_by(self, index: Index) -> Iterator[_ReadColumns]:
        """Yield the columns that each read of an index needs another index to begin with."""
        key = identity(index)
        for number in self.readers.get(key, ()):
            for read in self.reads_of(self.plans[number]):
                if identity(read.index) == key:
                    following = [] if isinstance(read, IndexFKJoin) or read.range is None else [read.range.column]
                    if key not in self.required:  # it was made for this read, in the order asked
                        columns = declared_columns(self.table, read.index.columns)
                        following = [column.name for column in columns[len(read.prefix) :]]
                    yield _ReadColumns(
                        frozenset(part.column for part in read.prefix), len(read.prefix), tuple(following)
                    )

    def _try(self, instead: Sequence[Index], gone: Iterable[Index]) -> bool:
        """Plan the readers of the `gone` indexes over `instead`; take these plans if no bound gets worse."""
        allowed = {identity(index) for index in instead}
        again: dict[int, PhysicalNode] = {}
        for number in dict.fromkeys(reader for index in gone for reader in self.readers.get(identity(index), ())):
            plan = self.replan(number, self.plans[number], tuple(instead))
            if plan is None or any(identity(read.index) not in allowed for read in self.reads_of(plan)):
                return False
            again[number] = plan
        self.indexes = {identity(index): index for index in instead}
        self.by_first = None
        for number, plan in again.items():
            for readers in self.readers.values():
                readers.pop(number, None)
            self.add_reader(number, plan)
            self.plans[number] = self.changed[number] = plan
        return True

    def settled(self) -> tuple[Index, ...]:
        """Return the indexes with their reasons; the partition of each is the columns that all of its reads fix."""
        indexes = sorted(self.indexes.values(), key=lambda index: (index.span is None, index.name))
        purposes: dict[Identity, list[str]] = {}
        lengths: dict[Identity, list[int]] = {}
        beginnings = Beginnings(self.table, self.groups, indexes)
        for group in self.groups:
            serving = beginnings.index_for(group)
            if serving is not None and not serving.is_primary:
                purposes.setdefault(identity(serving), []).append(group.purpose)
                lengths.setdefault(identity(serving), []).append(1 if group.is_token else len(group.columns))
        for key, readers in self.readers.items():
            for number in readers:
                reads = (read for read in self.reads_of(self.plans[number]) if identity(read.index) == key)
                lengths.setdefault(key, []).extend(partition_of(read.prefix) for read in reads)
        described = []
        for index in indexes:
            key = identity(index)
            if key in lengths and index.span is None:
                index = replace(index, partition_columns=min(lengths[key]))
            described.append(_with_reason(index, purposes.get(key, ())))
        return tuple(described)


@dataclass(frozen=True, slots=True)
class _ReadColumns:
    """The first columns that a read asks of an index: those that it fixes, then its range and its order."""

    fixed: frozenset[str]
    length: int
    following: tuple[str, ...]

    def is_served_by(self, index: Index) -> bool:
        """Whether an index begins with the columns that a read fixes, then with its range and its order."""
        if index.buckets > 1 or {column.name for column in index.columns[: self.length]} != self.fixed:
            return False
        remaining = index.columns[self.length :]
        if any(column.token_of for column in remaining):
            return False
        return tuple(column.name for column in remaining[: len(self.following)]) == self.following


class _ByFirstColumns:
    """Indexes by their first columns, so that of many only those are looked at that may serve."""

    def __init__(self, table: Table, groups: Sequence[Group], indexes: Iterable[Index]) -> None:
        self._indexes = tuple(indexes)
        self.beginnings = Beginnings(table, groups, self._indexes)
        self._serving: dict[tuple[int, int], dict[tuple[frozenset[str], tuple[str, ...]], list[Index]]] = {}
        self._fixing: dict[str, list[Index]] | None = None

    def serving(self, read: _ReadColumns) -> Sequence[Index]:
        """Return the indexes by which a read finds its rows."""
        length, count = read.length, len(read.following)
        by_columns = self._serving.get((length, count))
        if by_columns is None:
            by_columns = self._serving[length, count] = {}
            for index in self._indexes:
                columns = frozenset(column.name for column in index.columns[:length])
                following = tuple(column.name for column in index.columns[length : length + count])
                by_columns.setdefault((columns, following), []).append(index)
        return [index for index in by_columns.get((read.fixed, read.following), ()) if read.is_served_by(index)]

    def fixing(self, columns: Sequence[str]) -> frozenset[Identity]:
        """Return the indexes all of whose reads fix these columns and more."""
        if self._fixing is None:
            self._fixing = {}
            for index in self._indexes:
                for column in index.columns[: index.partition_columns] if index.partition_columns > 1 else ():
                    self._fixing.setdefault(column.name, []).append(index)
        candidates = min((self._fixing.get(name, []) for name in columns), key=len, default=list(self._indexes))
        return frozenset(identity(index) for index in candidates if index.partition_columns > len(columns))


def _may_go(index: Index) -> bool:
    """Whether an index is the compiler's own, and no get of a UNIQUE key goes through it."""
    return index.span is None and not index.is_unique


def _widened_for(left: Index, index: Index) -> Index:
    """Return an index with the partition columns of `left`, if it begins with these; else as it is."""
    length = left.partition_columns
    leading = {column.name for column in left.columns[:length]}
    if index.partition_columns <= length or {column.name for column in index.columns[:length]} != leading:
        return index
    return replace(index, partition_columns=length)


def _beginning_with(first: Sequence[IndexColumn], index: Index, table: Table) -> Index | None:
    """Return another index with these columns first, where all of its readers fix these and more."""
    fixed = {column.name: column for column in index.columns[: index.partition_columns]}
    names = {column.name for column in first}
    if not _may_go(index) or index.buckets > 1 or not names < fixed.keys():
        return None
    ordered: list[IndexColumn] = [
        *(fixed[column.name] for column in first),
        *(column for name, column in fixed.items() if name not in names),
        *index.columns[index.partition_columns :],
    ]
    turned = index_on(table, ordered, partition_columns=len(first))
    return replace(turned, covering=index.covering, reason=index.reason)


def _with_reason(index: Index, purposes: Sequence[str]) -> Index:
    """Return an index whose reason names these purposes, and what it holds beside its key."""
    parts = [part for part in index.reason.split("; ") if part]
    declared = [part for part in parts if is_purpose(part) and index.span is not None]
    held = [part for part in parts if not is_purpose(part)]
    reason = "; ".join(dict.fromkeys((*declared, *purposes, *held))) or KEY_SERVES
    return index if reason == index.reason else replace(index, reason=reason)
