"""Every value is stored as it was given, or refused with a typed error; none is read as anything but a value."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import piql
import pytest
from promises import broken_promises

from .hostile import BROKEN_TEXTS, TEXTS

SCHEMA = """
CREATE TABLE t (id BIGINT PRIMARY KEY, n BIGINT NULL, d DOUBLE NULL, s TEXT NULL, v VARCHAR(5) NULL, b BLOB NULL,
  x DECIMAL(5,2) NULL, at TIMESTAMP NULL, day DATE NULL, u UUID NULL, CARDINALITY LIMIT 50 (s),
  CARDINALITY LIMIT 50 (TOKEN(v)));
CREATE QUERY put AS INSERT INTO t (id, s) VALUES ([id], [s]);
CREATE QUERY putBlob AS INSERT INTO t (id, b) VALUES ([id], [b]);
CREATE QUERY byText AS SELECT id, s FROM t WHERE s = [s] ORDER BY id LIMIT 3;
CREATE QUERY from_ AS SELECT id, s FROM t WHERE s >= [s] ORDER BY s, id PAGINATE 1;
CREATE QUERY byWord AS SELECT id FROM t WHERE v LIKE [word] LIMIT 3;
CREATE QUERY some AS SELECT id FROM t WHERE id IN [ids] MAX 3;
CREATE QUERY few AS SELECT id FROM t WHERE s = [s] ORDER BY id LIMIT [count] MAX 10;
CREATE QUERY product AS SELECT id FROM t WHERE id = [a] * [b];
CREATE QUERY above AS SELECT id FROM t WHERE s = [s] AND id > [a] * [b] ORDER BY id LIMIT 5;
CREATE QUERY upTo AS SELECT id FROM t WHERE s = [s] AND id <= [a] * [b] ORDER BY id LIMIT 5;
CREATE QUERY joined AS SELECT u.id FROM t JOIN t u ON u.id = t.n * t.n WHERE t.id = [id];
CREATE QUERY grow AS UPDATE t SET n = n * [by] WHERE id = [id];
CREATE QUERY swell AS UPDATE t SET d = n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n * d WHERE id = [id];
CREATE QUERY huge AS SELECT n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n*n * d AS big FROM t WHERE id = [id];
CREATE QUERY read AS SELECT id, n, d, s, v, b, x, at, day, u FROM t WHERE id = [id];
"""
MOST = 2**63 - 1
THERE = 5  # the key of a row that no test removes


@pytest.fixture(scope="module")
def db() -> Iterator[piql.Database]:
    with piql.connect("embedded:?synchronous=NORMAL") as db:
        db.deploy(piql.compile(SCHEMA))
        db.load("t", [{"id": THERE}])
        yield db


@pytest.mark.parametrize("text", [pytest.param(text, id=ascii(text[:20])) for text in TEXTS])
def test_a_text_is_stored_and_found_as_it_was_given(db: piql.Database, text: str) -> None:
    for write in (
        lambda: db.execute("put", {"id": 1, "s": text}),
        lambda: db.load("t", [{"id": 1, "s": text}]),
        lambda: db.run("UPDATE t SET s = [s] WHERE id = 1", {"s": text}),
    ):
        db.run("DELETE FROM t WHERE id = 1")
        db.load("t", [{"id": 1, "s": "before"}])
        write()
        assert db.execute("byText", {"s": text}).rows == [{"id": 1, "s": text}]
        page = db.execute("from_", {"s": text})
        assert page.rows == [{"id": 1, "s": text}]
        assert db.execute("from_", {"s": text}, page.cursor).rows == []
        assert db.execute("byText", {"s": text + "x"}).rows == []
    assert broken_promises(db) == []


@pytest.mark.parametrize("text", [pytest.param(text, id=ascii(text[:20])) for text in TEXTS])
def test_a_literal_is_the_text_between_its_quotes(db: piql.Database, text: str) -> None:
    if not 0 < len(text) < 100 or any(line_end in text for line_end in "\n\r"):
        return
    literal = "'" + text.replace("'", "''") + "'"
    db.run(f"INSERT INTO t (id, s) VALUES (2, {literal})")
    assert db.run(f"SELECT s FROM t WHERE s = {literal} LIMIT 1").rows == [{"s": text}]


@pytest.mark.parametrize("text", BROKEN_TEXTS)
def test_half_a_character_is_refused_in_words_that_can_be_printed(db: piql.Database, text: str) -> None:
    for call in (
        lambda: db.execute("put", {"id": 3, "s": text}),
        lambda: db.load("t", [{"id": 3, "s": text}]),
        lambda: db.load("t", [{"id": 3, "v": text}]),
        lambda: db.execute("byText", {"s": text}),
        lambda: db.execute("byWord", {"word": text}),
        lambda: db.run(f"SELECT id FROM t WHERE s = '{text}' LIMIT 1"),
        lambda: db.run(f"INSERT INTO t (id, s) VALUES (3, '{text}')"),
    ):
        with pytest.raises(piql.PiqlError) as refused:
            call()
        assert str(refused.value).encode()
    assert db.execute("some", {"ids": [3]}).rows == []


WRONG: dict[str, list[Any]] = {
    "id": [MOST + 1, -MOST - 2, 10**400, "1", 1.0, True, None, b"1", [1], {}, object(), float("nan")],
    "d": [float("nan"), float("inf"), 10**400, "1", True, b"", Decimal("NaN")],
    "s": [1, b"x", ["x"], object()],
    "v": ["x" * 6, "😀" * 6, 1],
    "b": ["x", 1, [1]],
    "x": [
        "1e999999",
        "NaN",
        Decimal("Infinity"),
        "1000",
        "0.001",
        "1_0",
        "９",
        " 1",
        "nan",
        "1e",
        ".",
        "1" * 2000,
        "",
        "0x1",
        True,
        b"1",
    ],
    "at": ["", "now", "9999-99-99", "99999-01-01", "٢٠٢٦-01-01", 5, datetime(2026, 1, 1), "9999-12-31T23:59:59-14:00"],
    "day": ["2026-13-01", "", 5, datetime(2026, 1, 1, tzinfo=UTC), "0000-01-01"],
    "u": ["x", "", 5, b"x" * 16, "12345678-1234-5678-1234-56781234567", "１" * 32],
}


@pytest.mark.parametrize(("column", "value"), [(column, value) for column, many in WRONG.items() for value in many])
def test_a_value_of_another_type_or_outside_its_type_is_refused(db: piql.Database, column: str, value: Any) -> None:
    row = {"id": 4, column: value}
    with pytest.raises(piql.ConstraintViolation, match=rf"t\.{column}"):
        db.load("t", [row])
    if column != "id":
        with pytest.raises((piql.InvalidParameter, piql.ConstraintViolation)):
            db.run(f"UPDATE t SET {column} = [value] WHERE id = [id]", {"value": value, "id": THERE})
    assert db.execute("some", {"ids": [4]}).rows == []


def test_values_at_the_ends_of_their_types_are_kept_exactly(db: piql.Database) -> None:
    ends = [
        {"id": MOST, "n": -MOST - 1, "d": 1.7976931348623157e308, "x": Decimal("-999.99"), "b": b"\0" * 1_000_000},
        {"id": -MOST - 1, "n": MOST, "d": 5e-324, "x": Decimal("0.01"), "at": datetime(1, 1, 1, tzinfo=UTC)},
        {"id": 0, "d": 0.0, "at": datetime(9999, 12, 31, 23, 59, 59, 999000, tzinfo=UTC), "b": b""},
    ]
    db.load("t", ends)
    for row in ends:
        (read_row,) = db.execute("read", {"id": row["id"]}).rows
        assert {name: read_row[name] for name in row} == row


def test_oversized_parameters_are_refused_before_any_request(db: piql.Database) -> None:
    for name, parameters in (
        ("few", {"s": "x", "count": 11}),
        ("few", {"s": "x", "count": -1}),
        ("few", {"s": "x", "count": 2**70}),
        ("few", {"s": "x", "count": True}),
        ("some", {"ids": range(1_000_000)}),
        ("some", {"ids": [2**63]}),
        ("some", {"ids": "123"}),
        ("some", {"ids": {1: 2}}),
        ("some", {"ids": [[1]]}),
        ("some", {"ids": [1], **{f"x{number}": number for number in range(10_000)}}),
    ):
        with pytest.raises(piql.InvalidParameter):
            db.execute(name, parameters)


def test_a_number_that_leaves_its_type_while_it_is_computed_is_refused(db: piql.Database) -> None:
    db.load("t", [{"id": number, "s": "numbers", "n": MOST, "d": 1.5} for number in (10, 11, MOST)])
    assert db.execute("product", {"a": 2, "b": 5}).rows == [{"id": 10}]
    assert len(db.execute("above", {"s": "numbers", "a": -1, "b": MOST}).rows) == 3
    too_large = {"s": "numbers", "a": MOST, "b": MOST}
    for query, parameters, words in (
        ("product", {"a": MOST, "b": MOST}, r"\[a\] \* \[b\]"),
        ("joined", {"id": 10}, r"t\.n \* t\.n"),
        ("above", too_large, r"\[a\] \* \[b\]"),
        ("upTo", too_large | {"a": -MOST}, r"\[a\] \* \[b\]"),
        ("grow", {"id": 10, "by": MOST}, r"n \* \[by\]"),
        ("huge", {"id": 10}, r"n\*n"),
        ("swell", {"id": 10}, r"n\*n"),
    ):
        with pytest.raises(piql.NumberOutOfRange, match=f"{words} is -?[0-9]+…?, outside the range of BIGINT"):
            db.execute(query, parameters)
    assert db.run("SELECT n, d FROM t WHERE id = 10").rows == [{"n": MOST, "d": 1.5}]
