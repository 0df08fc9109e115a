"""How tables and indexes are kept, as `piql plan` lists them: partitions, readers, and why an index holds what it does.

item_by_i_subject_i_title: item ((i_subject), i_title, i_id) → i_a_id
  read by searchBySubject (50 requests less)
  holds i_a_id, too: no request a row to fetch them, for 144 bytes more in each entry and write
  a partition grows with the data; CARDINALITY LIMIT n (i_subject) or BUCKETS would keep it small
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from piql.compiler.bounds.savings import requests_saved
from piql.compiler.physical.format import format_index
from piql.compiler.physical.indexes.reading_direction import reading_directions
from piql.compiler.physical.indexes.secondary_index import serves_constraint
from piql.compiler.physical.operators import IndexScan
from piql.compiler.physical.partitions import rows_of_partition
from piql.compiler.physical.unit_plan import UnitPlan
from piql.compiler.physical.write_plan import WritePlan
from piql.compiler.result import Compilation, CompiledQuery
from piql.schema.catalog import Index, Table


def describe_storage(compilation: Compilation, chosen: Sequence[CompiledQuery] | None) -> list[str]:
    """List the tables and indexes of the set, or the indexes that some queries read."""
    directions = reading_directions(query.plan for query in compilation.queries.values())
    if chosen is not None:
        read = {index.name for query in chosen for index in query.indexes}
        indexes = [index for name, index in compilation.indexes.items() if name in read]
        return _section("indexes", [_index(compilation, index, directions) for index in indexes])
    in_order = {
        scan.table.name
        for query in compilation.queries.values()
        if query.plan is not None
        for scan in query.plan.find(IndexScan)
        if scan.index.is_primary and not scan.prefix
    }
    tables = [
        "\n".join([_table(table, is_in_order=name in in_order), *_direction(directions, table.primary_index())])
        for name, table in compilation.tables.items()
    ]
    indexes = list(compilation.indexes.values())
    return [
        *_section("tables", tables),
        *_section("indexes", [_index(compilation, index, directions) for index in indexes]),
    ]


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return ["\n".join((title, *lines))] if lines else []


def _table(table: Table, *, is_in_order: bool) -> str:
    index = replace(table.primary_index(), covering=(), partition_columns=0 if is_in_order else 1)
    return f"{format_index(index)}\n  {_growth(table, index)}"


def _index(compilation: Compilation, index: Index, directions: Mapping[Index, frozenset[bool]]) -> str:
    lines = [f"{index.name}: {format_index(index)}"]
    readers = []
    for query in compilation.queries.values():
        if query.plan is None or isinstance(query.plan, WritePlan | UnitPlan) or index not in query.indexes:
            continue
        saved = requests_saved(query.plan)[index.name]
        difference = (
            f" ({abs(saved)} request{'s' * (abs(saved) > 1)} {'less' if saved > 0 else 'more'})" if saved else ""
        )
        readers.append(f"{query.name}{difference}")
    lines.append(f"  read by {', '.join(readers) or 'no query'}")
    lines.extend(f"  {part}" for part in index.reason.split("; "))
    lines.append(f"  {_growth(compilation.tables[index.table], index)}")
    lines.extend(_direction(directions, index))
    return "\n".join(lines)


def _direction(directions: Mapping[Index, frozenset[bool]], index: Index) -> list[str]:
    reading_directions = directions.get(index, frozenset())
    if reading_directions == {False}:
        return ["  read from its end, and kept that way round on a cluster"]
    if len(reading_directions) == 2:
        return ["  read from both ends; on a cluster reading from the last one takes longer"]
    return []


def _growth(table: Table, index: Index) -> str:
    """Say how large one partition gets, and what would keep it small."""
    limit = rows_of_partition(table, index)
    if limit is not None:
        rows = limit if isinstance(limit, int) else limit.limit
        return f"a partition holds at most {rows} row{'s' * (rows > 1)}"
    columns = ", ".join(
        f"TOKEN({', '.join(column.token_of)})" if column.token_of else column.name
        for column in index.columns[: index.partition_columns]
    )
    cures = [f"CARDINALITY LIMIT n ({columns})"] if columns else []
    if index.buckets == 1 and not serves_constraint(index) and not (index.is_primary and columns):
        cures.append("CREATE INDEX … BUCKETS b")
    return "a partition grows with the data" + (f"; {' or '.join(cures)} would keep it small" if cures else "")
