"""CAST of a value gives what DuckDB gives, or is refused where the reference says so."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any
from uuid import UUID

import duckdb
import pytest
from piql.schema.catalog import Kind, SqlType
from piql.schema.conversions import conversion
from piql.schema.values import TimeUUID, ValueMismatch

TYPES = {
    "INT": SqlType(Kind.INT),
    "BIGINT": SqlType(Kind.BIGINT),
    "DOUBLE": SqlType(Kind.DOUBLE),
    "DECIMAL(8, 2)": SqlType(Kind.DECIMAL, precision=8, scale=2),
    "DECIMAL(38, 0)": SqlType(Kind.DECIMAL, precision=38, scale=0),
    "VARCHAR": SqlType(Kind.TEXT),
    "BOOLEAN": SqlType(Kind.BOOLEAN),
    "DATE": SqlType(Kind.DATE),
    "TIMESTAMP": SqlType(Kind.TIMESTAMP),
    "UUID": SqlType(Kind.UUID),
}
DOUBLES = [0.5, 1.5, 2.5, -2.5, 1.005, 2.675, 2.665, 1e20, 1e-7, 123456.789, -0.004, 1e300, 0.1, 99999.995]
TEXTS = [
    "12",
    "12.5",
    " 12 ",
    "-2.5",
    "x",
    "",
    "1e3",
    "true",
    "f",
    "T",
    "2020-01-01",
    "2020-02-30",
    "0.005",
    "1.",
    "+5",
]
VALUES: dict[str, list[Any]] = {
    "INT": [0, 1, -7, 2**31 - 1],
    "BIGINT": [2**62, -(2**63)],
    "DOUBLE": DOUBLES,
    "DECIMAL(8, 2)": [Decimal(text) for text in ("1.50", "-2.50", "0.05", "999999.99", "0.00")],
    "VARCHAR": [*TEXTS, "2020-01-01T10:00:00.5", "99999999999", "123e4567-e89b-12d3-a456-426614174000"],
    "BOOLEAN": [True, False],
    "DATE": [date(2020, 1, 1), date(999, 1, 1)],
    "TIMESTAMP": [datetime(2020, 1, 1, 10, 0, 0, 120_000, UTC), datetime(2020, 1, 1, tzinfo=UTC)],
    "UUID": [UUID(int=5)],
}
REFUSED = "refused"
# What DuckDB converts, and PIQL does not: it has several meanings.
WITHOUT_MEANING = {("DOUBLE", "BOOLEAN"), ("DECIMAL(8, 2)", "BOOLEAN")} | {
    ("BOOLEAN", number) for number in ("DOUBLE", "DECIMAL(8, 2)", "DECIMAL(38, 0)")
}
CUT_OFF = {("2020-01-01T10:00:00.5", "DATE")}  # DuckDB cuts the time off


def as_duckdb(value: object) -> object:
    return value.replace(tzinfo=None) if isinstance(value, datetime) else value


@pytest.fixture(scope="module")
def reference() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield connection


@pytest.mark.parametrize("source", VALUES)
@pytest.mark.parametrize("target", TYPES)
def test_every_conversion_gives_what_duckdb_gives(
    reference: duckdb.DuckDBPyConnection, source: str, target: str
) -> None:
    convert = conversion(TYPES[source], TYPES[target])
    for value in VALUES[source]:
        try:
            cast = f"SELECT CAST(CAST(? AS {source}) AS {target})"
            (expected,) = reference.execute(cast, [as_duckdb(value)]).fetchone()  # type: ignore[misc]
        except duckdb.Error:
            expected = REFUSED
        if (source, target) in WITHOUT_MEANING or (value, target) in CUT_OFF:
            expected = REFUSED
        try:
            given = REFUSED if convert is None else as_duckdb(convert(value))
        except ValueMismatch:
            given = REFUSED
        assert (given, type(given)) == (expected, type(expected)), (source, value, target)


@pytest.mark.parametrize(
    ("source", "value", "target", "expected"),
    [
        (Kind.TEXT, "1e400", SqlType(Kind.DOUBLE), None),
        (Kind.TEXT, "abc", SqlType(Kind.VARCHAR, length=2), REFUSED),
        (Kind.TEXT, "9" * 2000, SqlType(Kind.INT), REFUSED),
        (Kind.TEXT, "1e9999", SqlType(Kind.BIGINT), REFUSED),
        (Kind.TEXT, "1e9999", SqlType(Kind.DECIMAL), REFUSED),
        (Kind.TEXT, "1.50", SqlType(Kind.DECIMAL), Decimal("1.50")),
        (Kind.TEXT, "inf", SqlType(Kind.DOUBLE), REFUSED),
        (Kind.DECIMAL, Decimal("1.50"), SqlType(Kind.TEXT), "1.5"),
        (Kind.DECIMAL, Decimal("1E+3"), SqlType(Kind.TEXT), "1000"),
        (Kind.DECIMAL, Decimal("1E+300"), SqlType(Kind.DOUBLE), 1e300),
        (Kind.TIME, time(9, 30, 5, 250_000), SqlType(Kind.TEXT), "09:30:05.25"),
        (Kind.TEXT, " 09:30 ", SqlType(Kind.TIME), time(9, 30)),
        (Kind.UUID, UUID(int=5), SqlType(Kind.TIMEUUID), REFUSED),
        (Kind.UUID, UUID(int=0x1000 << 64), SqlType(Kind.TIMEUUID), TimeUUID(int=0x1000 << 64)),
        (Kind.BLOB, b"a", SqlType(Kind.TEXT), REFUSED),
        (Kind.TEXT, "a", SqlType(Kind.BLOB), REFUSED),
        (Kind.BLOB, b"a", SqlType(Kind.BLOB), b"a"),
    ],
)
def test_the_ends_of_types(source: Kind, value: object, target: SqlType, expected: object) -> None:
    convert = conversion(SqlType(source), target)
    try:
        given = REFUSED if convert is None else convert(value)
    except ValueMismatch:
        given = REFUSED
    assert given == expected
