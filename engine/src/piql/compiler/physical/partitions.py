"""Which rows a store keeps in one partition, and a warning of partitions that every run of a query reads.

An index is stored by (partition columns, clustering columns), and a read stays inside one partition. Such a partition
becomes hot where it grows with the data: an order of a whole table, or all rows with one value of a flag or of a
constant in the query.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from piql.compiler.logical.expressions import Constant
from piql.compiler.logical.format import format_expression
from piql.compiler.physical.few_values import holds_few_values
from piql.compiler.physical.indexes.secondary_index import declared_columns
from piql.compiler.physical.operators import IndexScan, KeyPart, PhysicalNode, SortedIndexJoin, operators
from piql.schema.catalog import CardinalityLimit, Index, Kind, Table, word_column
from piql.text.diagnostics.diagnostic import Diagnostic, Edit, Fix, Label
from piql.text.diagnostics.report import report
from piql.text.source import Span

BUCKETS = 8  # of the index that a fix offers: enough to spread the load, and each read makes no more requests than that


def rows_of_partition(table: Table, index: Index) -> CardinalityLimit | int | None:
    """Return what limits the rows of one partition: a limit, 1 for a key, or None where they grow with the data."""
    columns = {column.name for column in index.columns[: index.partition_columns] if not column.token_of}
    words = {name for column in index.columns[: index.partition_columns] for name in column.token_of}
    if set(table.primary_key) <= columns or any(set(key.columns) <= columns for key in table.unique_keys):
        return 1
    fitting = [limit for limit in table.limits if set(limit.columns) <= (words if limit.is_token else columns)]
    return min(fitting, key=lambda limit: limit.limit, default=None)


def hot_partitions(plan: PhysicalNode, query: str | None) -> tuple[Diagnostic, ...]:
    """Warn of partitions without a limit that every run of a query meets; their fixes are not tried yet."""
    warnings: list[Diagnostic] = []
    for node in operators(plan):
        if not isinstance(node, IndexScan | SortedIndexJoin) or node.index.buckets > 1 or node.span is None:
            continue
        if node.limit.max == 0:  # nothing is read
            continue
        table, index = node.table, node.index
        columns = [column.name for column in index.columns[: index.partition_columns]] if node.prefix else []
        parts = [part for part in node.prefix if part.column in columns]
        if not all(_is_shared(part, table) for part in parts) or _is_limited(table, node.prefix if parts else ()):
            continue
        if parts:
            which = f"{table.name} with {' and '.join(map(_shown, parts))}"
            message = f"all {which} are stored in one partition, which every read of this query uses"
        else:
            message = f"all of {table.name} is read in one order, so one partition stores it for every read and write"
        fixes = () if parts and index.is_primary else _bucket_fixes(table, index)
        warnings.append(
            report("hot-partition", message, node.span, help=_advice(table, index, parts), fixes=fixes, query=query)
        )
    return tuple(warnings)


def once_for_each_partition(diagnostics: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Join the warnings of one partition that several queries read: the first is kept, with a label for each other."""
    by_partition: dict[object, list[Diagnostic]] = {}
    for position, diagnostic in enumerate(diagnostics):
        is_warning = diagnostic.code == "hot-partition" and diagnostic.severity == "warning"
        edits = tuple(fix.edits for fix in diagnostic.fixes) if is_warning else ()
        partition = (diagnostic.message, diagnostic.help, edits) if is_warning else position
        by_partition.setdefault(partition, []).append(diagnostic)
    if len(by_partition) == len(diagnostics):
        return tuple(diagnostics)
    return tuple(_joined(first, later) for first, *later in by_partition.values())


def _joined(first: Diagnostic, later: Iterable[Diagnostic]) -> Diagnostic:
    """Return a warning with a label for each other query, at its first read."""
    spans: dict[str | None, Span] = {}
    for warning in later:
        if warning.query != first.query:
            spans.setdefault(warning.query, warning.span)
    labels = tuple(Label(span, f"{query} reads it, too") for query, span in spans.items())
    return replace(first, labels=(*first.labels, *labels)) if labels else first


def _is_shared(part: KeyPart, table: Table) -> bool:
    """Whether all runs of a query read the same value of a column, or one of two."""
    column = table.column(part.column)
    is_flag = column is not None and column.type.kind is Kind.BOOLEAN
    return is_flag or (len(part.values) == 1 and isinstance(part.values[0], Constant))


def _is_limited(table: Table, prefix: Iterable[KeyPart]) -> bool:
    """Whether the schema limits the rows that a read fixes."""
    fixed = {part.column for part in prefix}
    keys = (table.primary_key, *(key.columns for key in table.unique_keys))
    limits = ((word_column(limit.columns).name,) if limit.is_token else limit.columns for limit in table.limits)
    return any(set(columns) <= fixed for columns in (*keys, *limits))


def _shown(part: KeyPart) -> str:
    value = part.values[0]
    return (
        f"{part.column} = {format_expression(value)}" if isinstance(value, Constant) else f"one value of {part.column}"
    )


def _advice(table: Table, index: Index, parts: list[KeyPart]) -> str:
    """Say what would spread a partition; `parts` are the columns by which it is found, none for a whole order."""
    if not parts:
        return (
            "spread it with CREATE INDEX … BUCKETS b; each read then makes b requests. Or fix a column by an equality"
        )
    columns = ", ".join(part.column for part in parts)
    if all(holds_few_values(table, part.column, is_constant=True) for part in parts):  # no limit suits them
        if index.is_primary:
            return "begin its PRIMARY KEY with a column that spreads them"
        return "spread them with CREATE INDEX … BUCKETS b; each read then makes b requests"
    limit_advice = f"declare CARDINALITY LIMIT n ({columns}) in {table.name} if they stay few"
    if index.is_primary:
        return f"{limit_advice}, or begin its PRIMARY KEY with a column that spreads them"
    return f"{limit_advice}, or spread them with CREATE INDEX … BUCKETS b; each read then makes b requests"


def _bucket_fixes(table: Table, index: Index) -> tuple[Fix, ...]:
    """Return a fix that declares the same index in buckets, behind the CREATE TABLE; none without its text."""
    if table.span is None:
        return ()
    columns = declared_columns(table, index.columns) or index.columns
    column_list = ", ".join(
        (f"TOKEN({', '.join(column.token_of)})" if column.token_of else column.name)
        + ("" if column.ascending else " DESC")
        for column in columns
    )
    words = "_".join("_".join(column.token_of) or column.name for column in columns)
    text = f"CREATE INDEX {table.name}_by_{words}_spread ON {table.name} ({column_list}) BUCKETS {BUCKETS};"
    end = end_of_statement(table.span.source.text, table.span.end)
    edit = Edit(table.span.file, end, end, f"\n\n{text}")
    consequence = f"the answer stays the same; each read makes {BUCKETS} requests instead of one"
    return (Fix(f"Spread it with an index in {BUCKETS} BUCKETS", (edit,), consequence=consequence),)


def end_of_statement(text: str, end: int) -> int:
    """Return the offset behind a statement and its semicolon."""
    after = end + len(text[end:]) - len(text[end:].lstrip())
    return after + 1 if text[after : after + 1] == ";" else end
