"""CREATE INDEX → `Index`: its columns and words, completed by the primary key of its table.

    CREATE INDEX i ON thoughts (posted DESC) COVERING (body)   →   (posted DESC, owner), with body beside the key

`schema` calls it once all tables are known.
"""

from __future__ import annotations

from piql.compiler.binding.scope import TableNames, lookup, unknown_name
from piql.compiler.binding.types import is_text
from piql.compiler.syntax import ast
from piql.schema.catalog import Column, Index, IndexColumn, completed_by_key, word_column
from piql.text.diagnostics.diagnostic import Diagnostic
from piql.text.diagnostics.report import report


def bind_index(node: ast.CreateIndex, names: TableNames, diagnostics: list[Diagnostic]) -> Index | None:
    """Return a declared index; None after adding to `diagnostics`, or if its table is broken."""
    table = names.find(node.table)
    if table is None:
        diagnostics.append(names.unknown(node.table))
        return None
    if table.name in names.broken:
        return None
    columns: list[IndexColumn] = []
    by_fold = names.column_names(table)

    def declared(name: ast.Name) -> Column | None:
        """Return the column that a name refers to; None after a report."""
        column_name = lookup(name, by_fold)
        if column_name is None:
            diagnostics.append(
                unknown_name("unknown-column", f"{table.name} has no column {name.text}", name, by_fold.values())
            )
            return None
        return table.column(column_name)

    for part in node.parts:
        resolved = [declared(name) for name in part.columns]
        part_columns = [column for column in resolved if column is not None]
        if len(part_columns) < len(resolved):
            return None
        if not part.is_token:
            columns.append(IndexColumn(part_columns[0].name, part.is_ascending))
            continue
        for column, name in zip(part_columns, part.columns, strict=True):
            if not is_text(column.type):
                diagnostics.append(
                    report("type-mismatch", f"TOKEN takes text columns, but {column.name} is {column.type}", name.span)
                )
                return None
        columns.append(word_column((column.name for column in part_columns), part.is_ascending))
    covering = [declared(name) for name in node.covering]
    if any(column is None for column in covering):
        return None
    whole = completed_by_key(table, columns)
    held = {column.name for column in whole}
    return Index(
        node.name.text,
        table.name,
        whole,
        tuple(column.name for column in covering if column is not None and column.name not in held),
        buckets=node.buckets or 1,
        span=node.span,
    )
