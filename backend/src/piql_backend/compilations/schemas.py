"""What the compiler found out: diagnostics, tables, queries with each stage of their plans, bounds and indexes."""

from __future__ import annotations

from typing import Literal

from piql.compiler.result import QueryKind
from piql.schema.read_policies import ReadLevel
from piql.schema.write_policies import WriteLevel
from pydantic import Field

from piql_backend.web.errors import ErrorRead
from piql_backend.web.schemas import DiagnosticRead, RangeRead, Read, SourceFiles, Write


class CompilationCreate(Write):
    """`stages_of` names the one query whose stages are wanted; without it all queries have theirs."""

    files: SourceFiles
    stages_of: str | None = None


class CompilationInParts(CompilationCreate):
    """`first` names the queries that somebody looks at, which are answered before the others where that is sooner."""

    first: list[str] = Field(default_factory=list, max_length=100)


class LimitRead(Read):
    """A cardinality limit: at most `limit` rows for each value of the columns, or for each word in them (`is_token`).

    `range` is the whole clause, `number_range` its number alone.
    """

    columns: list[str]
    limit: int
    is_token: bool
    range: RangeRead | None
    number_range: RangeRead | None


class ColumnRead(Read):
    """A column; `type` as declared (`VARCHAR(32)`), `range` its whole definition."""

    name: str
    type: str
    is_nullable: bool
    range: RangeRead | None


class ForeignKeyRead(Read):
    """Columns whose values name a row of another table: `columns[i]` equals its `referenced_columns[i]`."""

    columns: list[str]
    table: str
    referenced_columns: list[str]
    range: RangeRead | None


class UniqueKeyRead(Read):
    """At most one row has the same values in the columns."""

    columns: list[str]
    range: RangeRead | None


class IndexColumnRead(Read):
    """A key column."""

    name: str
    ascending: bool


class IndexRead(Read):
    """A secondary index; `definition` is it in one line: `subscriptions ((target), owner) → approved`."""

    name: str
    table: str
    columns: list[IndexColumnRead]
    reason: str
    definition: str
    used_by: list[str]


class TableRead(Read):
    """A table; `range` is its whole statement, `name_range` its name.

    A view is made from tables, of these names, and each of its groups has so many `stripes`: 1 without any, null for a
    table.
    """

    name: str
    range: RangeRead | None
    name_range: RangeRead | None
    columns: list[ColumnRead]
    primary_key: list[str]
    unique_keys: list[UniqueKeyRead]
    foreign_keys: list[ForeignKeyRead]
    limits: list[LimitRead]
    made_from: list[str]
    stripes: int | None


class TermRead(Read):
    """A symbol of a formula and its value; `range` is the text that proves it, `number_range` the number in it."""

    symbol: str
    value: int
    reason: str
    range: RangeRead | None
    number_range: RangeRead | None


class OperatorBoundRead(Read):
    """What one operator of the physical plan adds; `path` is the id of its plan node."""

    path: str
    operator: str
    operations: int
    formula: str
    rows: int
    rows_formula: str
    bytes: int


class BoundRead(Read):
    """The most that one execution can do: `operations` are requests, `round_trips` those on the longest path.

    `rows` are returned, `rows_fetched` read from the store, with `bytes` in all. `puts`, `deletes`, `reads` and
    `counts` are the requests of a query that writes, by kind.
    """

    operations: int
    round_trips: int
    rows: int
    bytes: int
    rows_fetched: int
    formula: str
    rows_formula: str
    terms: list[TermRead]
    by_operator: list[OperatorBoundRead]
    puts: int
    deletes: int
    reads: int
    counts: int


class ParameterRead(Read):
    """`type` as declared (`VARCHAR(32)`), `kind` its name alone; a list parameter has `max_items`."""

    name: str
    type: str
    kind: str
    max_value: int | None
    max_items: int | None
    range: RangeRead | None


class PlanNodeRead(Read):
    """A node of a plan; `id` is its path: `root`, and `0.1` for the second child of the root's first child.

    `operations`, `rows`, `bytes` and the formulas are those of the bound, so only physical nodes have them.
    """

    id: str
    operator: str
    detail: str
    range: RangeRead | None
    kind: Literal["logical", "remote", "local", "write"]
    is_unbounded: bool
    operations: int | None
    rows: int | None
    bytes: int | None
    formula: str | None
    rows_formula: str | None
    children: list[PlanNodeRead]


class StageRead(Read):
    """The plan after one stage: `as written`, a rule's name, `Phase I`, or `physical`."""

    name: str
    note: str
    plan: PlanNodeRead


class UnboundedSegmentRead(Read):
    """The part of a refused plan that nothing bounds; `path` is a node id of the stage `Phase I`."""

    path: str
    table: str
    ranges: list[RangeRead]
    table_range: RangeRead | None
    sentence: str


class AccessSourceRead(Read):
    """Columns of a table whose values say what a step looks for."""

    table: str
    columns: list[str]


class AccessRead(Read):
    """One step of a query that goes to the store, or would: which table, and through which secondary index.

    `path` is the id of its plan node: of the stage `physical`, or of `Phase I` where the query is refused. `index` is
    null where the table itself is read. `comes_from` is empty where the query's own values say what is looked for. A
    `check` is a row that a write looks at because of a foreign key, and a `keep` a view that it keeps up to date.
    `operations` and `rows` are those of the bound: null for a refused query, and for a check and a keep, which are in
    the bound of the write. Nothing bounds a step that `is_unbounded`.
    """

    path: str
    operator: str
    kind: Literal["read", "write", "check", "keep"]
    table: str
    index: str | None
    comes_from: list[AccessSourceRead]
    operations: int | None
    rows: int | None
    is_unbounded: bool


class AxisRead(Read):
    """A number of the text that a heatmap can vary; writing another into all `number_ranges` changes it for good."""

    symbol: str
    label: str
    current: int
    number_ranges: list[RangeRead]


class UnsizedColumnRead(Read):
    """A column without a length: the bytes of a bound count 64 KiB for each of its values."""

    table: str
    column: str


class ReadPolicyRead(Read):
    """What WITH READ of a query says: its level, what each request asks of the store, and what may be seen."""

    level: ReadLevel
    asks: str
    sees: str


class WritePolicyRead(Read):
    """What WITH WRITE of a query says: its level, what acknowledges the write, and what reads see of it."""

    level: WriteLevel
    asks: str
    sees: str


class QueryRead(Read):
    """`stages` are empty where nothing could be planned, and where `stages_of` named another query.

    `unsized` are the columns without a length that it fetches: of the bound, only the bytes rest on an assumption then.
    `read` is null without WITH READ: then its reads are as fresh as the database was opened for.
    """

    name: str
    kind: QueryKind
    text: str
    range: RangeRead
    name_range: RangeRead
    is_bounded: bool
    scaling_class: Literal["I", "II", "III", "IV"] | None
    bound: BoundRead | None
    parameters: list[ParameterRead]
    stages: list[StageRead]
    unbounded: list[UnboundedSegmentRead]
    accesses: list[AccessRead]
    axes: list[AxisRead]
    unsized: list[UnsizedColumnRead]
    read: ReadPolicyRead | None
    write: WritePolicyRead | None


class RepeatedQueryRead(Read):
    """A query whose name an earlier one has, so that it has no plan; `first_name_range` is the name of that one."""

    name: str
    range: RangeRead
    name_range: RangeRead
    first_name_range: RangeRead


class CompilationRead(Read):
    """`elapsed_ms` is what the compiler took, also when the answer came from the cache.

    `indexes` are the secondary indexes of the whole set, those that the compiler derives among them. `queries` has the
    first of each name, `repeated` the others.
    """

    diagnostics: list[DiagnosticRead]
    tables: list[TableRead]
    indexes: list[IndexRead]
    queries: list[QueryRead]
    repeated: list[RepeatedQueryRead]
    has_errors: bool
    elapsed_ms: float


class RefusedRead(Read):
    """Why the rest of an answer does not come, with the status that it would have had."""

    status: int
    error: ErrorRead


class BoundInShortRead(Read):
    """Of a bound, what is shown above a query."""

    operations: int
    round_trips: int


class BoundedQueryRead(Read):
    """Of a bounded query, what is shown above it; each field is as in the whole."""

    name: str
    range: RangeRead
    is_bounded: Literal[True]
    scaling_class: Literal["I", "II", "III", "IV"] | None
    bound: BoundInShortRead


class CompilationPart(Read):
    """A line of an answer in parts: one of the three.

    `queries` are some of those of `first` in one line, and others in another, as they will be in the whole. The last
    line is the `whole`, or what is `refused` after the first line.
    """

    queries: list[BoundedQueryRead] | None = None
    whole: CompilationRead | None = None
    refused: RefusedRead | None = None
