"""Columns without a length: the bytes that queries fetch of them are assumed. Each is told once, where it is declared.

    body TEXT,      body has no length, so the bytes of 12 queries count 64 KiB for each of its values

Enters: a plan, or which queries read such columns, and the tables. Leaves: columns by table and name, or findings.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from piql.compiler.bounds.bytes import unsized_columns_of
from piql.compiler.physical.operators import PhysicalNode, operators
from piql.schema.catalog import Table
from piql.text.diagnostics.diagnostic import Diagnostic, Label
from piql.text.diagnostics.report import report
from piql.text.source import Span

UnsizedColumn = tuple[str, str]
"""The names of a table and of one of its columns."""


@dataclass(frozen=True, slots=True)
class UnsizedRead:
    """A query that fetches a column without a length."""

    column: UnsizedColumn
    query: str
    name_span: Span


def unsized_columns(plan: PhysicalNode) -> tuple[UnsizedColumn, ...]:
    """Return the columns without a length that a plan fetches, each once."""
    columns = (column for operator in operators(plan) for column in unsized_columns_of(operator))
    return tuple(dict.fromkeys(columns))


def unsized_findings(reads: Iterable[UnsizedRead], tables: Mapping[str, Table]) -> list[Diagnostic]:
    """Return a finding for each column that is read, in the order of the tables and of their columns.

    `reads` are in the order of the text, so that the query that a finding names is the first of it.
    """
    by_column: dict[UnsizedColumn, list[UnsizedRead]] = {}
    for read in reads:
        by_column.setdefault(read.column, []).append(read)
    if not by_column:
        return []
    return [
        _finding(column.name, column.span or table.name_span or readers[0].name_span, readers)
        for table in tables.values()
        for column in table.columns
        if (readers := by_column.get((table.name, column.name))) is not None
    ]


def _finding(column: str, span: Span, readers: list[UnsizedRead]) -> Diagnostic:
    first = readers[0]
    affected = first.query if len(readers) == 1 else f"{len(readers):,} queries"
    return report(
        "unsized-column",
        f"{column} has no length, so the bytes of {affected} count 64 KiB for each of its values",
        span,
        labels=(Label(first.name_span, "it reads the column" if len(readers) == 1 else "the first query of them"),),
        help="VARCHAR(n) says how long a value can be",
    )
