"""The physical plan: how it is read. Remote operators make requests, local ones do not (VLDB 2012, section 5.2).

Rows between operators are flat tuples laid out by `fields`: an expression of an operator above refers to a column of
its input by an equal expression in the input's `fields` (a `ColumnRef`, or, above `LocalGroupBy`, a key or aggregate).
Every remote read has a limit; there is no unbounded operator.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, TypeAlias, assert_never

from piql.compiler.logical.expressions import Aggregate, ColumnRef, Expression
from piql.compiler.logical.operators import Count, Output, SortKey
from piql.compiler.optimizer.analysis.whole_numbers import Stretch
from piql.schema.catalog import CardinalityLimit, ForeignKey, Index, Table, UniqueKey
from piql.text.source import Span
from piql.trees.node import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class _Operator(Node):
    """What all operators have: the expressions that their rows are tuples of, and where the query asks for them."""

    fields: tuple[Expression, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Local(_Operator):
    """The base of all operators that make no request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choosing(Local):
    """The base of operators that hand on rows of their child unchanged: all or some of them, none twice, in any order.

    Of the columns of a row they need only those that their `tests` read.
    """

    child: PhysicalNode

    @property
    @abstractmethod
    def tests(self) -> tuple[Node, ...]:
        """The expressions that decide whether a row is handed on, and in which order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopping(Choosing):
    """The base of operators that give at most `count` rows; where that is 0, nothing below is read."""

    count: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPart(Node):
    """One leading key column of an index fixed by equality: to one value, or to any of several (IN, OR).

    `values` holds one expression, several, or one list `Parameter`; several make one read each. Values may refer to
    columns of the child row in a join. A NULL value makes no read, unless `is_null`: then the entries are those whose
    column IS NULL. For a token column the value is the word, case-folded by the executor.
    """

    column: str
    values: tuple[Expression, ...]
    is_null: bool = False


def null_columns(prefix: tuple[KeyPart, ...]) -> tuple[str, ...]:
    """Return the key columns that IS NULL fixes."""
    return tuple(part.column for part in prefix if part.is_null)


def partition_of(prefix: tuple[KeyPart, ...]) -> int:
    """Return how many leading key columns a read fixes to a value: no partition is named by NULL."""
    return next((at for at, part in enumerate(prefix) if part.is_null), len(prefix))


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRange(Node):
    """An inequality on the key column that follows the equalities; a side that is None is open. NULLs never match."""

    column: str
    low: Expression | None = None
    is_low_included: bool = False
    high: Expression | None = None
    is_high_included: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RowLimit(Node):
    """The most rows one read returns, with the fact that proves it.

    `count` is set when a Stop reached the read (then fewer may be asked for at run time); otherwise the schema bounds
    it: `because` is a limit, a unique key, or None for the whole primary key. With `within` the fact holds for each
    whole number in the range of the read, so `max` is that many times its number.
    """

    max: int
    count: Count | None = None
    because: CardinalityLimit | UniqueKey | ForeignKey | None = None
    within: Stretch | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PassingRows(Node):
    """A fact that limits how many rows pass a test: at most `limit` for each combination of the values in `prefix`."""

    table: Table
    prefix: tuple[KeyPart, ...] = ()
    limit: RowLimit | None = None  # None: one row passes, that of a left join without a match
    depth: int = 0  # not 0: the limit holds for each row of the operator that many levels below
    rows: int = 0  # that pass at most, in all


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexScan(_Operator):
    """Reads one contiguous range of an index (a get, when the whole primary key is fixed): 1 request a combination of
    key values. `fields` are columns held by the index.

    `order` is the order in which each read gives its rows after the fixed columns, completed by the primary key;
    `is_ascending` False walks the index backwards. With several combinations the reads are merged by `order` when
    `is_merged`, else concatenated. `is_resumable`: `order` is also the page order, so a cursor's
    position bounds the read.
    """

    table: Table
    alias: str
    index: Index
    prefix: tuple[KeyPart, ...] = ()
    range: KeyRange | None = None
    is_ascending: bool = True
    order: tuple[SortKey, ...] = ()
    is_merged: bool = False
    is_resumable: bool = False
    limit: RowLimit


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexFKJoin(_Operator):
    """Per child row, gets the row of `table` whose whole primary (or unique) key the child names: 1 request a child row
    (equal keys are merged, NULL keys make none). `kind` left keeps child rows without a match, padded with NULLs.
    A `condition` (over child and match, only with `kind` left) decides what counts as a match: the rest of an ON.
    """

    child: PhysicalNode
    table: Table
    alias: str
    index: Index
    prefix: tuple[KeyPart, ...]
    kind: Literal["inner", "left"] = "inner"
    condition: Expression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SortedIndexJoin(_Operator):
    """Per child row, reads the first rows of an index range already in the order asked: 1 request a child row
    (equal keys are merged, NULL keys make none).

    `order` as in IndexScan; with `is_merged` the lists of all child rows are merged by `order` (and then child order),
    else each child row's matches follow it in child order. `is_resumable` as in IndexScan: with a cursor, each list is
    read from the cursor's position on. `kind` and `condition` as in IndexFKJoin; `passing` is set where fewer
    rows can meet the condition than are read.
    """

    child: PhysicalNode
    table: Table
    alias: str
    index: Index
    prefix: tuple[KeyPart, ...]
    range: KeyRange | None = None
    is_ascending: bool = True
    order: tuple[SortKey, ...] = ()
    is_merged: bool = False
    is_resumable: bool = False
    limit: RowLimit
    kind: Literal["inner", "left"] = "inner"
    condition: Expression | None = None
    passing: PassingRows | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dereference(_Operator):
    """Per row, gets the record behind an entry of a keys-only index by its primary key: 1 request a row.

    Adds the columns of `alias` that the entry did not hold; a row whose record is gone is dropped.
    """

    child: PhysicalNode
    table: Table
    alias: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalSelection(Choosing):
    """Keeps the rows for which `predicate` is true; `passing` is set where fewer can pass than are read."""

    predicate: Expression
    passing: PassingRows | None = None

    @property
    def tests(self) -> tuple[Node, ...]:
        return (self.predicate,)


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalJoin(Local):
    """Joins two bounded inputs in memory, in the order of the left and then of the right.

    `is_left_once`: the condition equates what tells the rows of `right` apart, so a row of `left` meets one at most;
    `is_right_once` says so of a row of `right`. `passing` is set where a fact limits the matches of a row of `left`.
    """

    left: PhysicalNode
    right: PhysicalNode
    condition: Expression | None
    kind: Literal["inner", "left"] = "inner"
    is_left_once: bool = False
    is_right_once: bool = False
    passing: PassingRows | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalSemiJoin(Local):
    """Keeps the rows of `left` for which `right` has a row that satisfies `condition` (EXISTS, IN subquery).

    With `is_anti`, keeps those for which it has none; of NOT IN the part of the condition that is `compared` must be
    false for all rows that meet the rest, not only unknown. With a `mark` it keeps every row and adds a column that
    says whether there is one (unknown where `compared` is).
    """

    left: PhysicalNode
    right: PhysicalNode
    condition: Expression | None
    is_anti: bool = False
    compared: Expression | None = None
    mark: ColumnRef | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalSort(Choosing):
    """Sorts all rows; equal rows keep their order."""

    keys: tuple[SortKey, ...]

    @property
    def tests(self) -> tuple[Node, ...]:
        return self.keys


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalTop(Stopping):
    """Gives the first `count` rows in the order of `keys`, without sorting the others; equal rows keep their order.

    It stands for a LocalStop on a LocalSort where at least `MANY_TIMES` as many rows may come as are kept.
    """

    MANY_TIMES: ClassVar[int] = 30  # from here on it takes less time than sorting all

    keys: tuple[SortKey, ...]

    @property
    def tests(self) -> tuple[Node, ...]:
        return self.keys


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalStop(Stopping):
    """Lets the first `count` rows through. With `is_page` it is the page of a PAGINATE query: its input comes in the
    total order `order`, the cursor holds the values of `order` of the page's last row, and on resuming rows up to that
    position are dropped before counting.
    """

    is_page: bool = False
    order: tuple[SortKey, ...] = ()

    @property
    def tests(self) -> tuple[Node, ...]:
        return self.order


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalGroupBy(Local):
    """Groups in memory, in the order in which groups begin; `fields` are `keys` followed by `aggregates`.

    Without keys it gives exactly one row.
    """

    child: PhysicalNode
    keys: tuple[Expression, ...]
    aggregates: tuple[Aggregate, ...]
    depth: int = 0  # not 0: there are no more groups than rows of the operator that many levels below
    is_one: bool = False  # every key has one value in all rows, so there is one group at most


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalDistinct(Local):
    """Keeps the first of rows equal in every field of `keys`.

    With a `mark` it adds a column that says whether `tested` is not NULL in one of those rows: whether a left join
    found a match.
    """

    child: PhysicalNode
    keys: tuple[Expression, ...]
    depth: int = 0  # not 0: no more rows are kept than the operator that many levels below gives
    tested: ColumnRef | None = None
    mark: ColumnRef | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalUnion(Local):
    """The rows of all children one after the other, equal rows once unless `all`; the branches are read in parallel.

    `fields` are those of the first child; the others' fields pair with them by place. With `order`, the children are
    each in that order (in terms of the first child's fields) and are merged.
    """

    inputs: tuple[PhysicalNode, ...]
    all: bool
    order: tuple[SortKey, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalCases(Local):
    """The rows of one child, the first whose test is true: each child is the plan for a case of the parameters.

    It stands at the top of a plan alone. The tests read parameters and no columns; the last one is TRUE. `fields` are
    those of the first child; the others' fields pair with them by place.
    """

    tests: tuple[Expression, ...]
    inputs: tuple[PhysicalNode, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecursiveUnion(Local):
    """Reads `anchor`, level 0, and then `step` level by level: `levels` times, or until a level is empty.

    Each level's rows are the work table of the next, which a `WorkTableScan` of the same `name` reads in `step`; the
    requests for all rows of a level go together. `fields` are those of both children. Unless `all`, a row that was
    there before is dropped and leads no further.
    """

    name: str
    anchor: PhysicalNode
    step: PhysicalNode
    all: bool
    levels: int
    levels_span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkTableScan(Local):
    """The rows of the level before, in the step of a RecursiveUnion: no request is made for them.

    `fields` are the columns of the union under `alias`, and, where an operator above tells rows apart by it, `row`:
    the number of the row in its level. `rows` is an assumption, for a step that is looked at by itself.
    """

    name: str
    alias: str
    row: ColumnRef
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalProjection(Local):
    """Computes the outputs; `fields[i]` is `ColumnRef(relation=alias, name=outputs[i].name)` (alias "" at the top)."""

    child: PhysicalNode
    outputs: tuple[Output, ...]
    alias: str = ""


PhysicalNode: TypeAlias = (
    IndexScan
    | IndexFKJoin
    | SortedIndexJoin
    | Dereference
    | LocalSelection
    | LocalJoin
    | LocalSemiJoin
    | LocalSort
    | LocalTop
    | LocalStop
    | LocalGroupBy
    | LocalDistinct
    | LocalUnion
    | LocalCases
    | LocalProjection
    | RecursiveUnion
    | WorkTableScan
)
RemoteOperator: TypeAlias = IndexScan | IndexFKJoin | SortedIndexJoin | Dereference


def inputs(node: PhysicalNode) -> tuple[PhysicalNode, ...]:
    """Return the operators below one, in the order that paths count them."""
    match node:
        case IndexScan() | WorkTableScan():
            return ()
        case (  # the most frequent first: a plan is walked many times
            LocalProjection()
            | IndexFKJoin()
            | SortedIndexJoin()
            | Choosing()
            | Dereference()
            | LocalDistinct()
            | LocalGroupBy()
        ):
            return (node.child,)
        case LocalJoin() | LocalSemiJoin():
            return (node.left, node.right)
        case LocalUnion() | LocalCases():
            return node.inputs
        case RecursiveUnion():
            return (node.anchor, node.step)
        case _:
            assert_never(node)


def range_reads(
    plan: PhysicalNode, path: tuple[int, ...] = ()
) -> Iterator[tuple[tuple[int, ...], IndexScan | SortedIndexJoin]]:
    """Yield the operators of a plan that read ranges of an index, each with the path to it, above those below it."""
    if isinstance(plan, IndexScan | SortedIndexJoin):
        yield path, plan
    for at, below in enumerate(inputs(plan)):
        yield from range_reads(below, (*path, at))


def map_inputs(node: PhysicalNode, change: Callable[[PhysicalNode], PhysicalNode]) -> PhysicalNode:
    """Return an operator with each one below it replaced by `change`; the same object when none changed."""
    below = inputs(node)
    changed = tuple(map(change, below))
    if all(new is old for new, old in zip(changed, below, strict=True)):
        return node
    match node:
        case IndexScan() | WorkTableScan():
            return node
        case LocalJoin() | LocalSemiJoin():
            return replace(node, left=changed[0], right=changed[1])
        case LocalUnion() | LocalCases():
            return replace(node, inputs=changed)
        case RecursiveUnion():
            return replace(node, anchor=changed[0], step=changed[1])
        case (
            IndexFKJoin()
            | SortedIndexJoin()
            | Dereference()
            | Choosing()
            | LocalGroupBy()
            | LocalDistinct()
            | LocalProjection()
        ):
            return replace(node, child=changed[0])
        case _:
            assert_never(node)


def operators(plan: PhysicalNode) -> Iterator[PhysicalNode]:
    """Yield the operators of a plan, from the top down."""
    waiting = [plan]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(inputs(node)))
