"""What is expected of a write of a world, once the reference has said what the write reads first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from .compare import exact
from .expected_writes import Expectation, ExpectedWrites
from .query import Const, Expr, Insert, ScalarSelect, Write
from .reference import Reference


def expectation_of(
    expected: ExpectedWrites, reference: Reference, query: Write, sample: Mapping[str, object]
) -> Expectation | None:
    """Return what is expected of a write; None where it is left open.

    Raises duckdb.Error where the reference cannot say.
    """
    if isinstance(query, Insert):
        return expected.write(with_values_read(reference, query, sample), sample)
    if query.section is None:
        return expected.write(query, sample)
    _, rows = reference.rows(query.section, sample)
    keys = {tuple(map(exact, key)): key for key in expected.contents.rows[query.table]}
    found = [keys[tuple(map(exact, row[: len(query.section.items)]))] for row in rows]
    stop = query.section.stop
    if stop is not None:
        found = found[: sample[stop.parameter] if stop.parameter is not None else stop.count]  # type: ignore[misc]
    return expected.section(query, sample, found)


def with_values_read(reference: Reference, query: Insert, sample: Mapping[str, object]) -> Insert:
    """Return an INSERT with what its subqueries find in their place: NULL where they find no row."""
    table = reference.schema.table(query.table)

    def read(name: str, value: Expr) -> Expr:
        if not isinstance(value, ScalarSelect):
            return value
        _, rows = reference.rows(value.query, sample)
        return Const(rows[0][0] if rows else None, table.column(name).type)  # type: ignore[arg-type]

    names = [name for name, _ in query.values]
    values = tuple((name, read(name, value)) for name, value in query.values)
    more = tuple(tuple(read(name, value) for name, value in zip(names, row, strict=True)) for row in query.more)
    return replace(query, values=values, more=more)
