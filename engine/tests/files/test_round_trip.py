"""What is dumped and loaded again is equal to the last digit, and DuckDB reads the same values from the file."""

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import piql
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from piql.client.table_pages import table_pages
from piql.files.dumping import dump_rows
from piql.files.formats import FORMATS, Format
from piql.files.loading import FileLoad
from piql.files.mapping import map_columns
from piql.files.source import open_source
from piql.files.values import BYTES_FORMS, BytesForm
from piql.schema.types import COLUMN_TYPES, KINDS

SCHEMA = """
CREATE TABLE everything (
  id BIGINT PRIMARY KEY, small INT, large BIGINT, number DOUBLE, price DECIMAL(20, 4), exact DECIMAL, flag BOOLEAN,
  name VARCHAR(40), note TEXT, seal BLOB, moment TIMESTAMP, day DATE, number_of_it UUID,
  made TIMEUUID, opens TIME);
CREATE QUERY one AS SELECT * FROM everything WHERE id = [1: id];
"""
COMPILATION = piql.compile(SCHEMA)
TABLE = COMPILATION.tables["everything"]
MOMENTS = st.datetimes(timezones=st.just(UTC)).map(
    lambda moment: moment.replace(microsecond=moment.microsecond // 1000 * 1000)
)
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    st.sampled_from(["", '"', '""', ",", "NULL", "\n", "\r\n", "\r", " a ", "\\N", "#", "a\x00b", "'", "\ufeff"]),
)
EXACT = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**60), max_value=10**60).filter(
    lambda number: abs(number.adjusted()) < 60
)
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "small": st.none() | st.integers(-(2**31), 2**31 - 1),
            "large": st.none() | st.integers(-(2**63), 2**63 - 1),
            "number": st.none() | st.floats(allow_nan=False, allow_infinity=False),
            "price": st.none() | st.decimals(-(10**15), 10**15, places=4),
            "exact": st.none() | EXACT,
            "flag": st.none() | st.booleans(),
            "name": st.none() | TEXTS,
            "note": st.none() | TEXTS,
            "seal": st.none() | st.binary(max_size=8),
            "moment": st.none() | MOMENTS,
            "day": st.none() | st.dates(),
            "number_of_it": st.none() | st.uuids(),
            "made": st.none() | st.uuids(version=1),
            "opens": st.none() | st.times(),
        }
    ),
    max_size=12,
)


def rows_of(db: piql.Database) -> list[tuple[Any, ...]]:
    return [row for page in table_pages(db, "everything", 4) for row in page]


def test_every_column_type_makes_the_round_trip() -> None:
    assert {column.type.kind for column in TABLE.columns} == set(KINDS) == set(COLUMN_TYPES)


@pytest.mark.parametrize("url", ["embedded:", "stepwise:"])
@pytest.mark.parametrize("file_format", FORMATS)
def test_dumped_rows_are_loaded_as_they_were(url: str, file_format: Format) -> None:
    @settings(max_examples=8)
    @given(ROWS, st.sampled_from(BYTES_FORMS))
    def hold(rows: list[dict[str, Any]], form: BytesForm) -> None:
        with tempfile.TemporaryDirectory() as folder, piql.connect(url) as one, piql.connect(url) as two:
            path = Path(folder) / f"everything.{file_format}"
            for db in (one, two):
                db.deploy(COMPILATION)
            one.load("everything", [{"id": number, **row} for number, row in enumerate(rows)])
            before = rows_of(one)
            assert len(before) == len(rows)
            assert dump_rows(TABLE.columns, table_pages(one, "everything", 2), path, file_format, form) == len(rows)
            source = open_source(path, file_format)
            columns = source.columns or tuple(column.name for column in TABLE.columns)  # no line of JSON names none
            load = FileLoad(two, source, map_columns(TABLE, columns, None, form), "file", batch_rows=2)
            assert load.row_count == len(rows)
            assert load.dry_run().problems == ()
            assert load.load().rows == len(rows)
            assert [repr(row) for row in rows_of(two)] == [repr(row) for row in before]
            assert_duckdb_agrees(path, file_format, form, before)

    hold()


def assert_duckdb_agrees(path: Path, file_format: Format, form: BytesForm, rows: list[tuple[Any, ...]]) -> None:
    """Let DuckDB read the file with types of its own, and compare the values that it has exactly."""
    if file_format == "jsonl" and not rows:
        return
    of_bytes = "seal" if file_format == "parquet" else ("from_hex(seal)" if form == "hex" else "from_base64(seal)")
    whole = (
        f"id, small, large, number, price, exact, flag, name, note, {of_bytes}, epoch_ms(moment), "
        "CAST(day AS VARCHAR), CAST(number_of_it AS VARCHAR), CAST(made AS VARCHAR), opens"
    )
    types = {
        "id": "BIGINT",
        "small": "INTEGER",
        "large": "BIGINT",
        "number": "DOUBLE",
        "price": "DECIMAL(20, 4)",
        "exact": "VARCHAR",
        "flag": "BOOLEAN",
        "name": "VARCHAR",
        "note": "VARCHAR",
        "seal": "VARCHAR",
        "moment": "TIMESTAMPTZ",
        "day": "DATE",
        "number_of_it": "UUID",
        "made": "UUID",
        "opens": "TIME",
    }
    columns = "{" + ", ".join(f"'{name}': '{of}'" for name, of in types.items()) + "}"
    scan = {
        "csv": "read_csv(?, auto_detect = false, header = true, delim = ',', quote = '\"', escape = '\"', "
        f"allow_quoted_nulls = false, columns = {columns})",
        "jsonl": f"read_json(?, format = 'newline_delimited', columns = {columns})",
        "parquet": "read_parquet(?)",
    }[file_format]
    with duckdb.connect() as duck:
        found = duck.execute(f"SELECT {whole} FROM {scan} ORDER BY id", [str(path)]).fetchall()
    assert found == [
        (
            *row[:5],
            None if row[5] is None else format(row[5], "f"),
            *row[6:9],
            row[9],
            None if row[10] is None else milliseconds(row[10]),
            *(None if value is None else str(value) for value in row[11:14]),
            row[14],
        )
        for row in rows
    ]


def milliseconds(moment: Any) -> int:
    whole: int = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
    return whole
