"""Values that other programs store by plain CQL in the tables of a deployment, and that no type of PIQL has."""

import math
from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal

import piql
import pytest
from cluster.fixture import cluster, cluster_keyspace, cluster_url
from piql.errors import NumberOutOfRange, StoreUnavailable
from piql.schema.catalog import Column, Kind, SqlType, Table
from piql.store.base import ReadShape
from piql.store.cql.layout import layout_of
from piql.store.cql.reads.reads import plan_read
from piql.store.cql.store import CqlStore
from piql.store.cql.stored_values import codec_of
from piql.store.rows import Row

__all__ = ["cluster", "cluster_keyspace", "cluster_url"]

INT, DOUBLE = SqlType(Kind.INT), SqlType(Kind.DOUBLE)
POINTS = Table(
    "points", (Column("g", INT, False), Column("at", DOUBLE, False), Column("height", DOUBLE, True)), ("g", "at")
)
NO_DOUBLES = (math.nan, math.inf, -math.inf)
LARGEST = 1.7976931348623157e308


def shown(columns: tuple[str, ...], *rows: Row, prefix: int = 1) -> list[Row]:
    """Return the rows that a read of points gives for what was selected: its columns, then those added to them."""
    index = POINTS.primary_index()
    finish = plan_read(ReadShape(POINTS, index, columns, prefix), layout_of(POINTS, index)).finish
    assert finish is not None
    return finish(list(rows))


@pytest.mark.parametrize("number", NO_DOUBLES)
def test_a_column_that_holds_no_double_is_null(number: float) -> None:
    assert shown(("at", "height"), (1.5, number, None)) == [(1.5, None)]


@pytest.mark.parametrize("number", [LARGEST, -LARGEST, 5e-324, 0.0, None])
def test_the_ends_of_double_are_what_they_are(number: float | None) -> None:
    assert shown(("at", "height"), (1.5, number, None)) == [(1.5, number)]


def test_a_negative_zero_is_zero() -> None:
    (row,) = shown(("height",), (-0.0, 1.5, None))
    assert math.copysign(1, row[0]) == 1


@pytest.mark.parametrize("number", [*NO_DOUBLES, -0.0])
def test_a_row_whose_key_piql_could_not_have_written_is_no_row(number: float) -> None:
    assert shown(("at",), (number, None), (0.0, None), (2.5, 3), (-LARGEST, None)) == [(0.0,), (-LARGEST,)]
    assert shown(("height",), (1.0, number, None), (2.0, 1.5, None)) == [(2.0,)]


def test_a_decimal_with_more_digits_than_its_column_has_is_given_as_it_is() -> None:
    codec = codec_of(SqlType(Kind.DECIMAL, precision=10, scale=2))
    assert codec is not None
    stored = (Decimal("1.5"), Decimal("1.23456"), Decimal("1E+1000000"))
    assert [str(codec.decode(stored_value)) for stored_value in stored] == ["1.50", "1.23456", "1E+1000000"]


@pytest.mark.parametrize("day", [0, date.max.toordinal() + 1, -(2**31), 2**31])
def test_a_day_beyond_the_years_is_a_typed_error(day: int) -> None:
    codec = codec_of(SqlType(Kind.DATE))
    assert codec is not None
    with pytest.raises(NumberOutOfRange, match="a DATE that another program stored is not within the years 1 to 9999"):
        codec.decode(day)


@pytest.mark.parametrize("moment", [-(2**63), 2**63 - 1, 253_402_300_800_000])
def test_a_moment_beyond_the_years_is_a_typed_error(moment: int) -> None:
    codec = codec_of(SqlType(Kind.TIMESTAMP))
    assert codec is not None
    with pytest.raises(NumberOutOfRange, match="a TIMESTAMP that another program stored is not within the years"):
        codec.decode(moment)


SOURCE = """
CREATE TABLE things (id INT PRIMARY KEY, size DOUBLE, day DATE, at TIMESTAMP, price DECIMAL(10, 2), name VARCHAR(5));
CREATE TABLE points (g INT, at DOUBLE, v INT, PRIMARY KEY (g, at));
CREATE QUERY sizes AS SELECT id, size FROM things WHERE id IN [1: ids] MAX 9 ORDER BY size, id PAGINATE 2;
CREATE QUERY large AS SELECT id FROM things WHERE id IN [1: ids] MAX 9 AND size > 1;
CREATE QUERY sum AS SELECT SUM(size) AS s, MAX(size) AS m, COUNT(size) AS n FROM things WHERE id IN [1: ids] MAX 9;
CREATE QUERY thing AS SELECT price, name FROM things WHERE id = [1: id];
CREATE QUERY moment AS SELECT at FROM things WHERE id = [1: id];
CREATE QUERY day AS SELECT day FROM things WHERE id = [1: id];
CREATE QUERY up AS SELECT v FROM points WHERE g = [1: g] ORDER BY at PAGINATE 2;
CREATE QUERY down AS SELECT v FROM points WHERE g = [1: g] ORDER BY at DESC PAGINATE 2;
CREATE QUERY resize AS UPDATE things SET size = [2: size] WHERE id = [1: id];
"""
NUMBERS = ("NaN", "Infinity", "-Infinity", "2.5", "-0.0", "0.0", "null", "5e-324")
MOST_PAGES = 20


def all_pages(db: piql.Database, query: str, parameters: dict[str, object]) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    cursor = None
    for _ in range(MOST_PAGES):
        page = db.execute(query, parameters, cursor=cursor)
        rows += page.rows
        cursor = page.cursor
        if cursor is None:
            return rows
    raise AssertionError(f"{query} had not ended after {MOST_PAGES} pages: {rows}")


@pytest.fixture(params=["scylla", pytest.param("rust", marks=pytest.mark.long)])
def db(request: pytest.FixtureRequest, cluster_url: Callable[[], str]) -> Iterator[piql.Database]:
    """Return a deployment in which another program has stored what PIQL would not have."""
    with piql.connect(f"{cluster_url()}&driver={request.param}") as database:
        database.deploy(piql.compile(SOURCE))
        store = database.store
        assert isinstance(store, CqlStore)
        start = ".".join(store.keyspace_and_prefix)
        for at, number in enumerate(NUMBERS):
            store.connection.execute(f"INSERT INTO {start}things (id, size) VALUES ({at}, {number})")
            if number != "null":
                store.connection.execute(f"INSERT INTO {start}points (g, at, v) VALUES (1, {number}, {at})")
        others = f"INSERT INTO {start}things (id, at, day, price, name) VALUES"
        store.connection.execute(f"{others} (50, {2**63 - 1}, 0, 1.23456, 'longer than five')")
        store.connection.execute(f"{others} (51, {-(2**63)}, {2**32 - 1}, 1.5, 'short')")
        yield database


@pytest.mark.cluster
def test_pages_end_and_hold_each_row_once_whatever_others_stored(db: piql.Database) -> None:
    everything = {"ids": list(range(len(NUMBERS)))}
    rows = all_pages(db, "sizes", everything)
    assert [(row["id"], row["size"]) for row in rows] == [
        *((at, None) for at in (0, 1, 2, 6)),
        *((at, 0.0) for at in (4, 5)),
        (7, 5e-324),
        (3, 2.5),
    ]
    assert [row["v"] for row in all_pages(db, "up", {"g": 1})] == [5, 7, 3]
    assert [row["v"] for row in all_pages(db, "down", {"g": 1})] == [3, 7, 5]
    assert db.execute("large", everything).rows == [{"id": 3}]
    assert db.execute("sum", everything).rows == [{"s": 2.5, "m": 2.5, "n": 4}]


@pytest.mark.cluster
def test_what_no_type_has_is_given_as_it_is_or_refused_in_words_and_can_be_written_over(db: piql.Database) -> None:
    assert db.execute("thing", {"id": 50}).rows == [{"price": Decimal("1.23456"), "name": "longer than five"}]
    topology = db.store.topology()
    is_rust = topology is not None and not topology.driver.startswith("scylla-driver")  # it reads no such DATE itself
    errors_of = {"TIMESTAMP": NumberOutOfRange, "DATE": StoreUnavailable if is_rust else NumberOutOfRange}
    for query, kind in (("moment", "TIMESTAMP"), ("day", "DATE")):
        for row in (50, 51):
            with pytest.raises(errors_of[kind], match="that another program stored"):
                db.execute(query, {"id": row})
    over = [0, 1, 2] if is_rust else [0, 1, 2, 50, 51]
    for row in over:
        db.execute("resize", {"id": row, "size": 8.5})
    written = all_pages(db, "sizes", {"ids": over})
    assert [row["size"] for row in written] == [8.5] * len(over)
