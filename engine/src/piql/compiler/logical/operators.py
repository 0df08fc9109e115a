"""The logical plan: what a query asks for. Operators have the names of the VLDB paper.

Data only. An operator's rows flow from its inputs (`inputs`) up to it; `binding.queries` shows the shape of a plan as
it is written. Writes (`Insert`, `Update`, `Delete`) have no inputs. Equality ignores spans.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, assert_never

from piql.compiler.logical.expressions import Aggregate, ColumnRef, Expression
from piql.schema.catalog import CardinalityLimit, ForeignKey, Table, UniqueKey
from piql.text.source import Span
from piql.trees.node import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class _Operator(Node):
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Count(Node):
    """The rows that a LIMIT or PAGINATE lets through: `max` at most; `parameter`, if any, asks for fewer."""

    max: int
    parameter: str | None = None
    span: Span | None = field(default=None, compare=False, repr=False)
    max_span: Span | None = field(default=None, compare=False, repr=False)  # the number alone


@dataclass(frozen=True, slots=True, kw_only=True)
class SortKey(Node):
    """One element of an order; NULL sorts first ascending, last descending."""

    expression: Expression
    ascending: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Output(Node):
    """One column of a result: its name and its expression."""

    name: str
    expression: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation(_Operator):
    """A table of the FROM clause under its alias."""

    table: Table
    alias: str

    def columns(self, names: Iterable[str]) -> tuple[ColumnRef, ...]:
        """Return references to columns; they equal those that the query itself makes."""
        columns = [self.table.column(name) for name in names]
        return tuple(
            [
                ColumnRef(relation=self.alias, name=column.name, type=column.type, nullable=column.nullable)
                for column in columns
                if column is not None
            ]
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived(_Operator):
    """A derived table: the outputs of `input` as columns of the relation `alias`."""

    alias: str
    input: LogicalNode


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection(_Operator):
    """Keeps the rows for which `predicate` is true."""

    predicate: Expression
    input: LogicalNode


@dataclass(frozen=True, slots=True, kw_only=True)
class Join(_Operator):
    """A join of two inputs; `condition` is None for a product (`FROM a, b`).

    With `first`, an order, only the first match of each row of `left` in this order counts; no two matches are equal in
    it.
    """

    kind: Literal["inner", "left"]
    left: LogicalNode
    right: LogicalNode
    condition: Expression | None
    first: tuple[SortKey, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SemiJoin(_Operator):
    """Keeps the rows of `left` for which `right` has a row that satisfies `condition`: EXISTS and IN (SELECT …).

    With `is_anti` it keeps those for which there is none. `compared` is the part of the condition in which IN compares
    values, where false and unknown must be told apart: NOT IN keeps the rows for which it is false for all rows that
    satisfy the remaining condition. With a `mark` every row is kept, and the column `mark` says whether there is one
    (or NULL: unknown).
    """

    left: LogicalNode
    right: LogicalNode
    condition: Expression | None
    is_anti: bool = False
    compared: Expression | None = None
    mark: ColumnRef | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Projection(_Operator):
    """Computes the output columns."""

    outputs: tuple[Output, ...]
    input: LogicalNode


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupBy(_Operator):
    """Groups rows by `keys`; rows above it hold the keys and the aggregates. No keys: one group, even of no rows.

    Above this operator an expression equal to one of `keys` or `aggregates` stands for that column of the group. With
    `summed` each group is one row of the relations named, in their order, with the rows left-joined to it below.
    """

    keys: tuple[Expression, ...]
    aggregates: tuple[Aggregate, ...]
    input: LogicalNode
    summed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Distinct(_Operator):
    """Drops rows that are equal in every output of the projection below it."""

    input: LogicalNode


@dataclass(frozen=True, slots=True, kw_only=True)
class Union(_Operator):
    """The rows of all inputs (projections with the same outputs), each once unless `all`.

    With `has_distinct_inputs` no input gives two equal rows, and with `all` no two inputs give the same row. A page of
    the union may then begin in each input where the page before it ended.
    """

    inputs: tuple[LogicalNode, ...]
    all: bool
    has_distinct_inputs: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Cases(_Operator):
    """A query that is planned for each case of its parameters: only the first input whose test is true is read.

    It stands at the top of a plan alone. The tests read parameters and no columns; the last one is TRUE.
    """

    tests: tuple[Expression, ...]
    inputs: tuple[LogicalNode, ...]  # one for each test, all with the same outputs


@dataclass(frozen=True, slots=True, kw_only=True)
class RecursiveUnion(_Operator):
    """WITH RECURSIVE: the rows of `anchor`, level 0, and of `step` over the level before, for at most `levels` levels.

    Both inputs have the same outputs. In `step` a `WorkTable` of the same `name` gives the rows of the level before.
    Unless `all`, a row that an earlier level gave, or that is in its level twice, is dropped and leads no further.
    """

    name: str
    columns: tuple[ColumnRef, ...]  # of the relation "", with the types that hold the values of all levels
    anchor: LogicalNode
    step: LogicalNode
    all: bool
    levels: int
    levels_span: Span | None = field(default=None, compare=False, repr=False)  # the number alone


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkTable(_Operator):
    """The rows of the level before, in the step of the recursive union `name`; they are distinct unless it is `all`."""

    name: str
    columns: tuple[ColumnRef, ...]  # those of the union
    all: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Sort(_Operator):
    """ORDER BY; `is_total` once keys were added so that no two rows are equal in it."""

    keys: tuple[SortKey, ...]
    input: LogicalNode
    is_total: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop(_Operator):
    """LIMIT or PAGINATE: lets the first `count` rows through (VLDB 2012, section 5.1).

    With `group_keys`, columns that are compared with lists of values, it lets `count` rows through for each of their
    values. More may pass unless it `is_exact`.
    """

    count: Count
    is_page: bool
    input: LogicalNode
    group_keys: tuple[ColumnRef, ...] = ()
    is_exact: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DataStop(_Operator):
    """A fact of the schema: at most `limit` rows come out of here (VLDB 2012, section 5.1).

    `columns` of `relation` are fixed by equalities; `because` is the key or limit that proves it (None: primary key).
    On the right of a join it counts the rows for one row of the left, whose equalities fix columns as well.
    """

    limit: int
    relation: str
    columns: tuple[ColumnRef, ...]
    because: CardinalityLimit | UniqueKey | ForeignKey | None
    input: LogicalNode


LogicalNode: TypeAlias = (
    Relation
    | Derived
    | Selection
    | Join
    | SemiJoin
    | Projection
    | GroupBy
    | Distinct
    | Union
    | Cases
    | RecursiveUnion
    | WorkTable
    | Sort
    | Stop
    | DataStop
)


def inputs(node: LogicalNode) -> tuple[LogicalNode, ...]:
    """Return the operators directly below one, in the order in which paths count them."""
    match node:
        case Relation() | WorkTable():
            return ()
        case Join() | SemiJoin():
            return (node.left, node.right)
        case Union() | Cases():
            return node.inputs
        case RecursiveUnion():
            return (node.anchor, node.step)
        case Derived() | Selection() | Projection() | GroupBy() | Distinct() | Sort() | Stop() | DataStop():
            return (node.input,)
        case _:
            assert_never(node)


def operators(plan: LogicalNode) -> Iterator[LogicalNode]:
    """Yield the operators of a plan, parents first; not those of subqueries in its expressions."""
    waiting = [plan]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += inputs(node)


def map_inputs(node: LogicalNode, change: Callable[[LogicalNode], LogicalNode]) -> LogicalNode:
    """Return an operator with `change` applied to each one directly below; the same object when none changed."""
    match node:  # the commonest first
        case Selection() | Projection() | Sort() | Stop() | DataStop() | GroupBy() | Distinct() | Derived():
            below = change(node.input)
            return node if below is node.input else replace(node, input=below)
        case Relation() | WorkTable():
            return node
        case Join() | SemiJoin():
            left, right = change(node.left), change(node.right)
            return node if left is node.left and right is node.right else replace(node, left=left, right=right)
        case Union() | Cases():
            changed = tuple(map(change, node.inputs))
            same = all(new is old for new, old in zip(changed, node.inputs, strict=True))
            return node if same else replace(node, inputs=changed)
        case RecursiveUnion():
            anchor, step = change(node.anchor), change(node.step)
            return node if anchor is node.anchor and step is node.step else replace(node, anchor=anchor, step=step)
        case _:
            assert_never(node)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment(Node):
    """A value for a column: of a key, of INSERT or of SET."""

    column: str
    value: Expression
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class OnConflict(Node):
    """What an INSERT does where a row with the same key exists: nothing, or `changes` of that row.

    key         the columns of the primary key or of a UNIQUE key; empty for any key of the table
    changes     computed from the row that exists, and from the row of the INSERT as the relation `excluded`
    """

    key: tuple[str, ...] = ()
    changes: tuple[Assignment, ...] = ()
    excluded: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValuesRow(Node):
    """The values of one further row of an INSERT."""

    values: tuple[Assignment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenRows(Node):
    """The list parameter whose rows an INSERT writes, at most `max`; its columns are parameters `is_of_row`."""

    name: str
    max: int
    span: Span | None = field(default=None, compare=False, repr=False)
    max_span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Insert(_Operator):
    """Writes one whole row: columns not named are NULL. With `if_not_exists` only if no row has its key.

    The rows in `more` are written after it, one by one. With `rows`, each row of a list is written by `values`. Where
    values are read first, `given_by` is the query of one row whose columns are the parameters `is_read`.
    """

    table: Table
    values: tuple[Assignment, ...]
    if_not_exists: bool = False
    conflict: OnConflict | None = None
    returning: tuple[Output, ...] = ()
    more: tuple[ValuesRow, ...] = ()
    rows: GivenRows | None = None
    given_by: LogicalNode | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Update(_Operator):
    """Changes the row with a primary or UNIQUE key, or each row of a section, if it passes WHERE as it is then.

    key          of the one row; empty where the write has a section
    where        what a row must pass to be affected, beside the key
    condition    what the row must pass, else the write is refused
    section      gives the primary keys of the rows; None where there is a key
    """

    table: Table
    key: tuple[Assignment, ...]
    changes: tuple[Assignment, ...]
    where: Expression | None = None
    condition: Expression | None = None
    returning: tuple[Output, ...] = ()
    section: LogicalNode | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Delete(_Operator):
    """Removes the row with a primary or UNIQUE key, or each row of a section; its fields are those of `Update`."""

    table: Table
    key: tuple[Assignment, ...]
    where: Expression | None = None
    condition: Expression | None = None
    returning: tuple[Output, ...] = ()
    section: LogicalNode | None = None


LogicalWrite: TypeAlias = Insert | Update | Delete


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit(Node):
    """Writes that are made in their order, together or not at all; each sees what those before it have written.

    The query of a LET, a projection of one value, stands among them.
    """

    statements: tuple[LogicalWrite | LogicalNode, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


def section_of(plan: LogicalNode | LogicalWrite | None) -> LogicalNode | None:
    """Return what a query reads: a SELECT as a whole, of a write its section or its values; None where it has none."""
    if isinstance(plan, Update | Delete):
        return plan.section
    return plan.given_by if isinstance(plan, Insert) else plan


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryParameter(Node):
    """A declared parameter of a query, as its callers see it: type, ordinal, MAX of a LIMIT or of a list."""

    name: str
    type: object  # SqlType; of the items, for a list; RowType for a list of rows
    ordinal: int | None = None
    max_value: int | None = None  # LIMIT [p] MAX n
    max_items: int | None = None  # IN [p] MAX n, or VALUES [p] MAX n
    span: Span | None = field(default=None, compare=False, repr=False)
