"""Which tables and indexes a query goes to, one step after another, each with what it adds to the bound.

SELECT t.* FROM subscriptions s JOIN thoughts t ON t.owner = s.target WHERE s.owner = [me] …

read subscriptions                                          for the query's own values
read thoughts       from subscriptions (target)             for the values of the rows before
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, assert_never

from piql.compiler.bounds.writes import SECTION
from piql.compiler.logical.expressions import ColumnRef, Expression, columns_in, conjuncts
from piql.compiler.logical.format import inputs_of as logical_inputs
from piql.compiler.logical.operators import Join, LogicalNode, LogicalWrite, Relation, Selection, SemiJoin, Unit
from piql.compiler.physical.operators import (
    Dereference,
    IndexFKJoin,
    IndexScan,
    KeyPart,
    KeyRange,
    PhysicalNode,
    RemoteOperator,
    SortedIndexJoin,
    inputs,
)
from piql.compiler.physical.unit_plan import UnitPlan
from piql.compiler.physical.write_plan import WritePlan
from piql.compiler.result import CompiledQuery

from piql_backend.compilations.node_ids import Path, node_id
from piql_backend.compilations.schemas import AccessRead, AccessSourceRead


def read_accesses(query: CompiledQuery) -> list[AccessRead]:
    """The steps in the order in which they happen; empty where the query could not be understood."""
    match query.plan:
        case WritePlan() as plan:
            return _of_write(plan, query)
        case UnitPlan() as plan:
            pairs = enumerate(zip(plan.statements, query.statements, strict=True))
            return [step for at, (part, statement) in pairs for step in _of_statement(part, statement, (at,))]
        case None:
            return [] if query.logical is None else _of_refused(query.logical, query)
        case plan:
            return list(_of_plan(plan, query))


def _of_statement(plan: WritePlan | PhysicalNode, statement: CompiledQuery, unit: Path) -> Iterable[AccessRead]:
    """The steps of one statement of a unit: a write, or the read of a LET."""
    if isinstance(plan, WritePlan):
        return _of_write(plan, statement, unit)
    return _of_plan(plan, statement, (), unit)


def _of_plan(plan: PhysicalNode, query: CompiledQuery, above: Path = (), unit: Path = ()) -> Iterator[AccessRead]:
    """The steps of a plan that reads; `above` leads to it from the root of the query's plan, `unit` to that root."""
    by_operator = query.bound.by_operator if query.bound is not None else ()
    bounds = {(*unit, *bound.path): bound for bound in by_operator}
    steps = list(_remote(plan, (*unit, *above)))
    tables = {operator.alias: operator.table.name for _, operator in steps}
    for path, operator in steps:
        bound = bounds.get(path)
        yield AccessRead(
            path=node_id(path),
            operator=type(operator).__name__,
            kind="read",
            table=operator.table.name,
            index=_index_of(operator),
            comes_from=_comes_from(operator, tables),
            operations=None if bound is None else bound.operations,
            rows=None if bound is None else bound.rows,
            is_unbounded=False,
        )


def _remote(node: PhysicalNode, path: Path = ()) -> Iterator[tuple[Path, RemoteOperator]]:
    """The operators that make requests, those that happen first before those that use their rows."""
    for at, child in enumerate(inputs(node)):
        yield from _remote(child, (*path, at))
    if isinstance(node, RemoteOperator):
        yield path, node


def _index_of(operator: RemoteOperator) -> str | None:
    if isinstance(operator, Dereference) or operator.index.is_primary:
        return None
    return operator.index.name


def _comes_from(operator: RemoteOperator, tables: dict[str, str]) -> list[AccessSourceRead]:
    """The columns that stand in the key that is read; a record is fetched for an entry of its own table."""
    match operator:
        case Dereference():
            return []
        case IndexFKJoin():
            return _sources(_columns(_values(operator.prefix, None)), tables)
        case IndexScan() | SortedIndexJoin():
            return _sources(_columns(_values(operator.prefix, operator.range)), tables)
        case _:
            assert_never(operator)


def _values(prefix: Iterable[KeyPart], key_range: KeyRange | None) -> Iterator[Expression]:
    for part in prefix:
        yield from part.values
    if key_range is not None:
        yield from (side for side in (key_range.low, key_range.high) if side is not None)


def _columns(expressions: Iterable[Expression]) -> Iterator[ColumnRef]:
    for expression in expressions:
        yield from columns_in(expression)


def _sources(columns: Iterable[ColumnRef], tables: dict[str, str]) -> list[AccessSourceRead]:
    """The columns by their tables, each once; `tables` has the table of each alias, and other columns are left out."""
    names_by_table: dict[str, list[str]] = {}
    for column in columns:
        table = tables.get(column.relation)
        if table is not None and column.name not in names_by_table.setdefault(table, []):
            names_by_table[table].append(column.name)
    return [AccessSourceRead(table=table, columns=names) for table, names in names_by_table.items()]


def _of_write(plan: WritePlan, query: CompiledQuery, unit: Path = ()) -> list[AccessRead]:
    """What it reads first, the table itself with the whole bound, the tables that foreign keys lead to, and its views.

    `unit` leads to it from the root of the plan of its unit.
    """
    reads = [access for read in plan.reads for access in _of_plan(read, query, SECTION, unit)]
    bound = query.bound
    write = AccessRead(
        path=node_id(unit),
        operator=plan.kind.capitalize(),
        kind="write",
        table=plan.table.name,
        index=None,
        comes_from=[],
        operations=None if bound is None else bound.operations,
        rows=None,
        is_unbounded=False,
    )
    checks = [_further(plan, unit, "check", key.table, None, key.columns) for key in plan.references]
    checks += [
        _further(plan, unit, "check", table.name, None if index.is_primary else index.name, key.referenced_columns)
        for table, key, index in plan.referrers
    ]
    views = [_further(plan, unit, "keep", upkeep.view.name, None, ()) for upkeep in plan.views]
    return [*reads, write, *checks, *views]


def _further(
    plan: WritePlan, unit: Path, kind: Literal["check", "keep"], table: str, index: str | None, columns: Sequence[str]
) -> AccessRead:
    """The rows of another table that a write looks at or changes because of these columns of the row."""
    return AccessRead(
        path=node_id(unit),
        operator=plan.kind.capitalize(),
        kind=kind,
        table=table,
        index=index,
        comes_from=[AccessSourceRead(table=plan.table.name, columns=list(columns))],
        operations=None,
        rows=None,
        is_unbounded=False,
    )


def _of_refused(plan: LogicalNode | LogicalWrite | Unit, query: CompiledQuery) -> list[AccessRead]:
    """The relations of a query without a bound, in the order of the logical plan, as there is no physical one."""
    relations = list(_relations(plan))
    tables = {relation.alias: relation.table.name for _, relation in relations}
    conditions = list(_conditions(plan))
    return [
        AccessRead(
            path=node_id(path),
            operator="Relation",
            kind="read",
            table=relation.table.name,
            index=None,
            comes_from=_sources(
                _joined_with(relation.alias, {before.alias for _, before in relations[:at]}, conditions), tables
            ),
            operations=None,
            rows=None,
            is_unbounded=any(
                segment.table == relation.table.name and path[: len(segment.path)] == segment.path
                for segment in query.unbounded
            ),
        )
        for at, (path, relation) in enumerate(relations)
    ]


def _relations(node: LogicalNode | LogicalWrite | Unit, path: Path = ()) -> Iterator[tuple[Path, Relation]]:
    if isinstance(node, Relation):
        yield path, node
    for at, child in enumerate(logical_inputs(node)):
        yield from _relations(child, (*path, at))


def _conditions(node: LogicalNode | LogicalWrite | Unit) -> Iterator[list[ColumnRef]]:
    """The columns that each condition of a plan compares."""
    condition = None
    if isinstance(node, Join | SemiJoin):
        condition = node.condition
    elif isinstance(node, Selection):
        condition = node.predicate
    if condition is not None:
        for part in conjuncts(condition):
            yield list(columns_in(part))
    for child in logical_inputs(node):
        yield from _conditions(child)


def _joined_with(alias: str, before: set[str], conditions: list[list[ColumnRef]]) -> Iterator[ColumnRef]:
    """The columns of the relations before this one that a condition compares with one of its own."""
    for columns in conditions:
        if any(column.relation == alias for column in columns):
            yield from (column for column in columns if column.relation in before)
