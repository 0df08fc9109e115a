"""The fewest indexes that serve a set: an index is left out where another one can stand in for it.

item (i_a_id, i_id)                  looked at when an author is deleted
item (i_a_id, i_title, i_id)         searchByAuthor, in the order of titles      → stands in for the first
m (b, id), m (a, b, id)              queries of one b, and of one a and one b    → m (b, a, id) serves both

Enters: the indexes of one table that constraints need and those that plans read, and a way to plan a query again over
the indexes given. Leaves: fewer indexes, and the plans that changed. A query's bound never gets worse for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from piql.catalog import Index, IndexColumn, Table
from piql.node import replace
from piql.physical.index_set import Identity, identity, together
from piql.physical.indexes import KEY_SERVES, Group, declared_columns, groups_of, index_on, is_purpose
from piql.physical.operators import IndexFKJoin, IndexScan, PhysicalNode, SortedIndexJoin, operators, partition_of

Remote: TypeAlias = IndexScan | IndexFKJoin | SortedIndexJoin
Replan: TypeAlias = Callable[[int, PhysicalNode, tuple[Index, ...]], PhysicalNode | None]
"""Plans a query by its number, instead of its plan so far, over these indexes of the table; None where a bound would be
worse, or an index of another table be read that was not read before."""


@dataclass(frozen=True, slots=True)
class TableDesign:
    """The indexes that a table needs, and the plans that read another one of it now, by the number of their query."""

    indexes: tuple[Index, ...]
    changed: Mapping[int, PhysicalNode] = field(default_factory=dict)


def secondary_reads(plan: PhysicalNode) -> tuple[Remote, ...]:
    """Give the reads of a plan that go through a secondary index."""
    reads = (node for node in operators(plan) if isinstance(node, IndexScan | IndexFKJoin | SortedIndexJoin))
    return tuple(node for node in reads if not node.index.is_primary)


def design_table(
    table: Table, required: Sequence[Index], plans: Mapping[int, PhysicalNode], replan: Replan
) -> TableDesign:
    """Give the indexes of a table: those required and those that its plans read, without what others can stand in for.

    Indexes with the same key columns become one that holds what any of them holds; its partition is what all of its
    readers fix. Short ones are left out first.
    """
    design = _Design(table, groups_of(table), {}, dict(plans), replan, frozenset(map(identity, required)))
    design.add(required)
    for at, plan in plans.items():
        design.read(at, plan)
    if len(design.kept) > 1:
        lengths = {key: len(declared_columns(table, each.columns)) for key, each in design.kept.items()}
        for key in sorted(design.kept, key=lambda each: (lengths[each], design.kept[each].name)):
            index = design.kept.get(key)
            if index is not None and _may_go(index):
                design.leave_out(index)
    return TableDesign(design.settled(), design.changed)


@dataclass(slots=True)
class _Design:
    """The indexes kept so far, and the plans over them."""

    table: Table
    groups: tuple[Group, ...]
    kept: dict[Identity, Index]
    plans: dict[int, PhysicalNode]
    replan: Replan
    required: frozenset[Identity]
    changed: dict[int, PhysicalNode] = field(default_factory=dict)
    readers: dict[Identity, dict[int, None]] = field(default_factory=dict)

    def reads_of(self, plan: PhysicalNode) -> Iterable[Remote]:
        return (read for read in secondary_reads(plan) if read.index.table == self.table.name)

    def add(self, indexes: Iterable[Index]) -> None:
        for index in indexes:
            key = identity(index)
            known = self.kept.get(key)
            self.kept[key] = index if known is None else together(known, index, self.table)

    def read(self, at: int, plan: PhysicalNode) -> None:
        """Note what a plan reads."""
        for read in self.reads_of(plan):
            self.add((read.index,))
            self.readers.setdefault(identity(read.index), {})[at] = None

    def leave_out(self, left: Index) -> None:
        """Leave an index out where those that are kept, or one of them in another order, serve all it is there for."""
        rest = sorted((each for each in self.kept.values() if each is not left), key=lambda each: each.name)
        others = [_opened_to(left, each) for each in rest]
        if self._may_serve(others, (left,)) and self._try(others, (left,)):
            return
        first = declared_columns(self.table, left.columns)
        for at, other in enumerate(others):
            turned = _begun_with(first, other, self.table)
            if turned is not None:
                instead = [*others[:at], turned, *others[at + 1 :]]
                if self._may_serve(instead, (left, other)) and self._try(instead, (left, self.kept[identity(other)])):
                    return

    def _may_serve(self, others: Sequence[Index], gone: Sequence[Index]) -> bool:
        """Whether the constraints find their groups without what is gone, and readers of its first find their rows."""
        served = (group for group in self.groups if group.index_among(self.table, gone) is not None)
        if any(group.index_among(self.table, others) is None for group in served):
            return False
        key = identity(gone[0])
        return all(
            any(self._may_read(read, other) for other in others)
            for at in self.readers.get(key, ())
            for read in self.reads_of(self.plans[at])
            if identity(read.index) == key
        )

    def _may_read(self, read: Remote, other: Index) -> bool:
        """Whether an index begins with the columns that a read fixes, then with its range and its order."""
        length = len(read.prefix)
        if other.buckets > 1 or {each.name for each in other.columns[:length]} != {each.column for each in read.prefix}:
            return False
        rest = other.columns[length:]
        if any(each.token_of for each in rest):
            return False
        following = [] if isinstance(read, IndexFKJoin) or read.range is None else [read.range.column]
        if identity(read.index) not in self.required:  # it was made for this read, in the order asked
            following = [each.name for each in declared_columns(self.table, read.index.columns)[length:]]
        return [each.name for each in rest[: len(following)]] == following

    def _try(self, instead: Sequence[Index], gone: Iterable[Index]) -> bool:
        """Plan the readers of the indexes that go over the others; keep what comes of it if nothing gets worse."""
        allowed = {identity(each) for each in instead}
        again: dict[int, PhysicalNode] = {}
        for at in dict.fromkeys(reader for each in gone for reader in self.readers.get(identity(each), ())):
            plan = self.replan(at, self.plans[at], tuple(instead))
            if plan is None or any(identity(read.index) not in allowed for read in self.reads_of(plan)):
                return False
            again[at] = plan
        self.kept = {identity(each): each for each in instead}
        for at, plan in again.items():
            for readers in self.readers.values():
                readers.pop(at, None)
            self.read(at, plan)
            self.plans[at] = self.changed[at] = plan
        return True

    def settled(self) -> tuple[Index, ...]:
        """Say of each index which constraints it serves; its partition is what all reads of it fix, and no wider."""
        own = sorted(self.kept.values(), key=lambda each: (each.span is None, each.name))
        purposes: dict[Identity, list[str]] = {}
        lengths: dict[Identity, list[int]] = {}
        for group in self.groups:
            serving = group.index_among(self.table, own)
            if serving is not None and not serving.is_primary:
                purposes.setdefault(identity(serving), []).append(group.purpose)
                lengths.setdefault(identity(serving), []).append(1 if group.is_token else len(group.columns))
        for key, readers in self.readers.items():
            for at in readers:
                reads = (each for each in self.reads_of(self.plans[at]) if identity(each.index) == key)
                lengths.setdefault(key, []).extend(partition_of(each.prefix) for each in reads)
        found = []
        for index in own:
            key = identity(index)
            if key in lengths and index.span is None:
                index = replace(index, partition_columns=min(lengths[key]))
            found.append(_because(index, purposes.get(key, ())))
        return tuple(found)


def _may_go(index: Index) -> bool:
    """Whether an index is the compiler's own, and no get of a UNIQUE key goes through it."""
    return index.span is None and not index.is_unique


def _opened_to(left: Index, other: Index) -> Index:
    """Let the partitions of an index be wide enough for the reads of another, where it begins with the same columns."""
    length = left.partition_columns
    leading = {each.name for each in left.columns[:length]}
    if other.partition_columns <= length or {each.name for each in other.columns[:length]} != leading:
        return other
    return replace(other, partition_columns=length)


def _begun_with(first: Sequence[IndexColumn], other: Index, table: Table) -> Index | None:
    """Give another index with these columns first, where all of its readers fix these and more."""
    fixed = {each.name: each for each in other.columns[: other.partition_columns]}
    names = {each.name for each in first}
    if not _may_go(other) or other.buckets > 1 or not names < fixed.keys():
        return None
    ordered: list[IndexColumn] = [
        *(fixed[each.name] for each in first),
        *(each for name, each in fixed.items() if name not in names),
        *other.columns[other.partition_columns :],
    ]
    turned = index_on(table, ordered, partition_columns=len(first))
    return replace(turned, covering=other.covering, reason=other.reason)


def _because(index: Index, purposes: Sequence[str]) -> Index:
    parts = [each for each in index.reason.split("; ") if each]
    declared = [each for each in parts if is_purpose(each) and index.span is not None]
    held = [each for each in parts if not is_purpose(each)]
    reason = "; ".join(dict.fromkeys((*declared, *purposes, *held))) or KEY_SERVES
    return index if reason == index.reason else replace(index, reason=reason)
