"""The deployed set as clients see it: for each query its parameters, the columns of its rows, and its bound."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from piql.compiler.logical.expressions import Aggregate, ColumnRef, Constant, Parameter
from piql.compiler.logical.operators import QueryParameter
from piql.compiler.physical.operators import LocalProjection, LocalStop
from piql.compiler.physical.unit_plan import QueryPlan, UnitPlan
from piql.compiler.physical.write_plan import WritePlan
from piql.compiler.result import Compilation, CompiledQuery, QueryKind
from piql.schema.catalog import Kind, RowType, SqlType
from piql.schema.read_policies import ReadLevel


@dataclass(frozen=True, slots=True)
class ServedColumn:
    """One column of an entity or of a query's rows; `type` is None where the compiler gives it no single type."""

    name: str
    type: SqlType | None
    nullable: bool


@dataclass(frozen=True, slots=True)
class ServedParameter:
    """One parameter; a list of at most `max_items` where that is set. `max_value` is that of a LIMIT.

    The items of a list of rows have no `type` but the columns `row`.

    It is `nullable` where it is assigned to a column that may be NULL: nothing is equal to NULL in a comparison.
    """

    name: str
    type: SqlType | None
    nullable: bool
    max_items: int | None = None
    max_value: int | None = None
    row: tuple[ServedColumn, ...] = ()


@dataclass(frozen=True, slots=True)
class ServedEntity:
    """One table."""

    name: str
    columns: tuple[ServedColumn, ...]


@dataclass(frozen=True, slots=True)
class ServedQuery:
    """One query or write of one version. `operations` and `rows` are its bound.

    `entity` is the table whose columns, all and in their order, are those of its rows; None where there is none.
    `read` is how fresh WITH READ says that its rows are.
    """

    name: str
    kind: QueryKind
    parameters: tuple[ServedParameter, ...]
    columns: tuple[ServedColumn, ...]
    is_paged: bool
    operations: int
    rows: int
    formula: str
    entity: str | None = None
    version: int = 0
    read: ReadLevel | None = None

    @property
    def is_write(self) -> bool:
        return self.kind != "select"


@dataclass(frozen=True, slots=True)
class ServedSet:
    """What one version of a deployment offers; `version` is 0 where nothing is deployed."""

    version: int
    entities: tuple[ServedEntity, ...]
    queries: Mapping[str, ServedQuery]


def served_set(compilation: Compilation, version: int, names: Collection[str] | None = None) -> ServedSet:
    """Return what a compiled set offers: all bounded queries, or those of them that are in `names`."""
    entities = tuple(
        ServedEntity(
            table.name, tuple(ServedColumn(column.name, column.type, column.nullable) for column in table.columns)
        )
        for table in compilation.tables.values()
    )
    queries = {
        name: _served_query(query, entities, version)
        for name, query in compilation.queries.items()
        if query.is_bounded and query.plan is not None and (names is None or name in names)
    }
    return ServedSet(version, entities, queries)


def _served_query(query: CompiledQuery, entities: Iterable[ServedEntity], version: int) -> ServedQuery:
    plan, bound = query.plan, query.bound
    assert plan is not None
    assert bound is not None
    writes = _writes_of(plan)
    may_be_null = frozenset(name for write in writes for name in _set_to_null(write))
    parameters = tuple(
        ServedParameter(
            parameter.name,
            _known(parameter.type),
            parameter.name in may_be_null,
            parameter.max_items,
            parameter.max_value,
            tuple(_columns_of_row(parameter, writes)),
        )
        for parameter in query.parameters
    )
    columns = tuple(_columns(query))
    is_paged = not writes and any(stop.is_page for stop in plan.find(LocalStop))
    entity = next((entity.name for entity in entities if columns and entity.columns == columns), None)
    return ServedQuery(
        query.name,
        query.kind,
        parameters,
        columns,
        is_paged,
        bound.operations,
        bound.rows,
        bound.formula,
        entity,
        version,
        query.read,
    )


def _writes_of(plan: QueryPlan) -> tuple[WritePlan, ...]:
    """Return the writes of a plan: itself, or the statements of a unit; none of a query."""
    match plan:
        case WritePlan():
            return (plan,)
        case UnitPlan():
            return plan.writes
        case _:
            return ()


def _columns_of_row(parameter: QueryParameter, writes: Sequence[WritePlan]) -> Iterator[ServedColumn]:
    """Yield the columns of a list of rows that a write is given; none for any other parameter."""
    if isinstance(parameter.type, RowType):
        tables = [write.table for write in writes if write.rows is not None and write.rows.name == parameter.name]
        for name, column_type in parameter.type.columns:
            columns = [column for table in tables if (column := table.column(name)) is not None]
            may_be_null = bool(columns) and all(column.nullable for column in columns)
            yield ServedColumn(name, column_type, may_be_null)


def _columns(query: CompiledQuery) -> Iterator[ServedColumn]:
    """Yield the columns of a query's rows, or of a write's RETURNING."""
    plan = query.plan
    assert plan is not None
    if isinstance(plan, WritePlan | UnitPlan | LocalProjection):
        outputs = plan.outputs if isinstance(plan, LocalProjection) else plan.returning
        for output in outputs:
            yield _column(output.name, output.expression)
    else:
        for field in plan.fields:
            yield _column(field.name if isinstance(field, ColumnRef) else str(field), field)


def _column(name: str, expression: object) -> ServedColumn:
    match expression:
        case ColumnRef(nullable=nullable):
            pass
        case Constant(value=value):
            nullable = value is None
        case Aggregate(function="COUNT"):
            nullable = False
        case _:
            nullable = True
    return ServedColumn(name, _known(getattr(expression, "type", None)), nullable)


def _known(type: object) -> SqlType | None:
    return type if isinstance(type, SqlType) and type.kind is not Kind.NULL else None


def _set_to_null(plan: WritePlan) -> Iterator[str]:
    """Yield the names of parameters that a write assigns to columns that may be NULL."""
    nullable = {column.name for column in plan.table.columns if column.nullable} - set(plan.table.primary_key)
    rows = (plan.values, *(row.values for row in plan.more))
    for assignment in (assignment for row in rows for assignment in row):
        if isinstance(assignment.value, Parameter) and assignment.column in nullable:
            yield assignment.value.name
    if plan.otherwise is not None:
        yield from _set_to_null(plan.otherwise)
