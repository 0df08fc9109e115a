"""Intervals, parts and beginnings of days and times: as in DuckDB, as bounds of ranges, at the ends of a type."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

import duckdb
import piql
import pytest
from hypothesis import given
from hypothesis import strategies as st
from piql.compiler.physical.operators import IndexScan
from piql.schema.calendar import PARTS, UNITS, add_interval, beginning, part_of

SOURCE = """
CREATE TABLE events (place INT, at TIMESTAMP, day DATE, n INT, PRIMARY KEY (place, at));
CREATE TABLE days (place INT, day DATE, n INT, PRIMARY KEY (place, day));
"""
NOON = datetime(2024, 2, 29, 12, tzinfo=UTC)
MOMENTS = st.datetimes(datetime(1600, 1, 1), datetime(2400, 1, 1)).map(
    lambda moment: moment.replace(microsecond=moment.microsecond // 1000 * 1000, tzinfo=UTC)
)


@pytest.fixture(params=("embedded:", "stepwise:"))
def db(request: pytest.FixtureRequest) -> Iterator[piql.Database]:
    with piql.connect(request.param, now=lambda: NOON) as database:
        database.deploy(piql.compile(SOURCE))
        times = [NOON + timedelta(hours=hours) for hours in (-200, -168, -24, -1, 0, 1, 24)]
        database.load("events", [{"place": 1, "at": at, "day": at.date(), "n": at.hour} for at in times])
        database.load("days", [{"place": 1, "day": date(2024, 2, day), "n": day} for day in range(20, 30)])
        yield database


@pytest.fixture(scope="module")
def duck() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield connection


def only(db: piql.Database, expression: str, parameters: dict[str, object] | None = None) -> object:
    text = f"SELECT {expression} AS x FROM days WHERE place = 1 AND day = '2024-02-29'"
    return db.run(text, parameters).rows[0]["x"]


@given(MOMENTS, st.sampled_from(sorted(UNITS)), st.integers(-400, 400))
def test_a_sum_is_that_of_duckdb(duck: duckdb.DuckDBPyConnection, moment: datetime, unit: str, count: int) -> None:
    factors = (factor * count for factor in UNITS[unit])
    query = f"SELECT ?::TIMESTAMP + INTERVAL '{count}' {unit}"
    (expected,) = duck.execute(query, [moment.replace(tzinfo=None)]).fetchall()[0]
    assert add_interval(moment, *factors) == expected.replace(tzinfo=UTC)


@given(MOMENTS)
def test_parts_and_beginnings_are_those_of_duckdb(duck: duckdb.DuckDBPyConnection, moment: datetime) -> None:
    naive = moment.replace(tzinfo=None)
    for value, in_duckdb in ((moment, naive), (moment.date(), moment.date())):
        type_name = "TIMESTAMP" if value is moment else "DATE"
        parts = ", ".join(f"extract({part} FROM x)" for part in PARTS)
        units = ", ".join(f"date_trunc('{unit}', x)" for unit in UNITS)
        (row,) = duck.execute(f"SELECT {parts}, {units} FROM (SELECT ?::{type_name} AS x)", [in_duckdb]).fetchall()
        assert [part_of(part, value) for part in PARTS] == list(row[: len(PARTS)])
        starts = [beginning(unit, value) for unit in UNITS]
        begins = [
            start if isinstance(start, datetime) else datetime(*start.timetuple()[:3], tzinfo=UTC) for start in starts
        ]
        assert begins == [start.replace(tzinfo=UTC) for start in row[len(PARTS) :]]


@pytest.mark.parametrize(
    ("condition", "parameters", "count"),
    [
        ("at > CURRENT_TIMESTAMP - INTERVAL '7 days'", {}, 5),
        ("at >= NOW() - INTERVAL '1' WEEK", {}, 6),
        ("at BETWEEN [t] AND [t] + INTERVAL '1 day'", {"t": NOON}, 3),
        ("at >= [t] - INTERVAL [n] HOUR AND at < [t]", {"t": NOON, "n": 24}, 2),
        ("INTERVAL '1 hour' + [t] = at", {"t": NOON}, 1),
        ("at < '2024-02-29' + INTERVAL '12 hours'", {}, 4),
        ("at >= DATE_TRUNC('day', CURRENT_TIMESTAMP)", {}, 4),
        ("at > [t] + INTERVAL '1 month'", {"t": None}, 0),
        ("at > [t] + INTERVAL [n] DAY", {"t": NOON, "n": None}, 0),
    ],
)
def test_a_computed_time_is_the_end_of_an_index_range(
    db: piql.Database, condition: str, parameters: dict[str, object], count: int
) -> None:
    text = f"SELECT at FROM events WHERE place = 1 AND {condition} ORDER BY at LIMIT 20"
    plan = piql.compile(f"{SOURCE}CREATE QUERY q AS {text};").queries["q"].plan
    assert plan is not None
    (scan,) = plan.find(IndexScan)
    assert scan.range is not None or len(scan.prefix) == 2
    page = db.run(text, parameters)
    assert (len(page.rows), page.operations) == (count, 0 if None in parameters.values() else 1)


@pytest.mark.parametrize(
    ("condition", "parameters", "first"),
    [
        ("day > CURRENT_DATE - 3", {}, 27),
        ("day > CURRENT_DATE - [n]", {"n": 2}, 28),
        ("day >= CURRENT_DATE - INTERVAL '1 week'", {}, 22),
        ("day >= [d] + 1", {"d": date(2024, 2, 25)}, 26),
        ("day >= '2024-01-31' + INTERVAL '1 month'", {}, 29),
        ("day >= DATE_TRUNC('week', CURRENT_DATE)", {}, 26),
    ],
)
def test_a_computed_day_is_the_end_of_an_index_range(
    db: piql.Database, condition: str, parameters: dict[str, object], first: int
) -> None:
    page = db.run(f"SELECT n FROM days WHERE place = 1 AND {condition} ORDER BY day LIMIT 20", parameters)
    assert [row["n"] for row in page.rows] == list(range(first, 30))


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("day - '2024-01-01'", 59),
        ("day - 366", date(2023, 2, 28)),
        ("day + INTERVAL '1 year'", date(2025, 2, 28)),
        ("day + INTERVAL '1 year 1 day'", date(2025, 3, 1)),
        ("day + INTERVAL '-1 month'", date(2024, 1, 29)),
        ("day + INTERVAL '1.5 hours'", datetime(2024, 2, 29, 1, 30, tzinfo=UTC)),
        ("CURRENT_TIMESTAMP - '2024-02-29T11:59:59.999Z'", 1),
        ("EXTRACT(EPOCH FROM CURRENT_TIMESTAMP - '2024-02-29T11:59:58.5Z')", 1.5),
        ("EXTRACT(doy FROM day)", 60),
        ("EXTRACT('week' FROM day)", 9),
        ("DATE_PART('dow', day)", 4),
        ("DATE_TRUNC('quarter', day)", date(2024, 1, 1)),
        ("DATE_TRUNC('hour', day)", datetime(2024, 2, 29, tzinfo=UTC)),
        ("DATE_TRUNC('year', CURRENT_TIMESTAMP)", datetime(2024, 1, 1, tzinfo=UTC)),
        ("EXTRACT(YEAR FROM NULL)", None),
        ("day + NULL", None),
    ],
)
def test_what_is_computed_of_a_day_has_the_type_that_the_guide_says(
    db: piql.Database, expression: str, value: object
) -> None:
    result = only(db, expression)
    assert (result, type(result)) == (value, type(value))


def test_a_write_computes_of_the_row_as_it_was(db: piql.Database) -> None:
    db.run("UPDATE events SET day = day + INTERVAL '2 weeks', n = EXTRACT(DAY FROM at) WHERE place = 1 AND at = [t]",
           {"t": NOON})  # fmt: skip
    rows = db.run("SELECT day, n FROM events WHERE place = 1 AND at = [t]", {"t": NOON}).rows
    assert rows == [{"day": date(2024, 3, 14), "n": 29}]


def test_a_time_outside_of_the_calendar_ends_the_execution_and_names_what_was_computed(db: piql.Database) -> None:
    text = "SELECT at FROM events WHERE place = 1 AND at < [t] + INTERVAL '1 year' LIMIT 3"
    with pytest.raises(piql.NumberOutOfRange, match=r"\[t\] \+ INTERVAL '1 year' is outside the years 1 to 9999"):
        db.run(text, {"t": "9999-01-01"})
    with pytest.raises(piql.NumberOutOfRange, match="outside the years"):
        only(db, "day + INTERVAL [m] DAY", {"m": -(2**31)})
    with pytest.raises(piql.NumberOutOfRange, match="outside the years"):
        db.run("UPDATE days SET n = EXTRACT(YEAR FROM day + INTERVAL [m] YEAR) WHERE place = 1 AND day = '2024-02-29'",
               {"m": 9000})  # fmt: skip
    assert only(db, "n") == 29


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("INTERVAL '3 days'", "an INTERVAL alone is no value"),
        ("n + INTERVAL '3 days'", "an INTERVAL cannot be added to an INT"),
        ("INTERVAL '3 days' - day", "an INTERVAL alone is no value"),
        ("day + INTERVAL '3 moons'", "this is no interval: it has counts of years"),
        ("day + INTERVAL ''", "this is no interval"),
        ("day + INTERVAL '1.5 days'", "1.5 days are not a whole number of days"),
        ("day + INTERVAL '0.0005 seconds'", "0.0005 seconds are not a whole number of milliseconds"),
        ("day + INTERVAL 3", "expected the unit of the interval"),
        ("day + INTERVAL '9999999999999 days'", "no two times are so far apart"),
        ("'9999-12-31' + INTERVAL '1 day'", "is outside the years 1 to 9999"),
        ("'1999-13-31' + INTERVAL '1 day'", "'1999-13-31' is not a DATE"),
        ("day + day", "`+` has no meaning for DATE and DATE"),
        ("3 - day", "`-` has no meaning for INT and DATE"),
        ("CURRENT_TIMESTAMP - day", "`-` has no meaning for TIMESTAMP and DATE"),
        ("EXTRACT(LUSTRUM FROM day)", "EXTRACT has no LUSTRUM"),
        ("EXTRACT(YEAR FROM n)", "EXTRACT takes a day or time, not an INT"),
        ("EXTRACT(day)", "expected a part and FROM"),
        ("DATE_TRUNC('decade', day)", "DATE_TRUNC has no 'decade'"),
        ("DATE_TRUNC(day)", "DATE_TRUNC has the wrong number of arguments"),
        ("DATE_ADD(day, 1)", "there is no function DATE_ADD"),
    ],
)
def test_a_wrong_use_says_what_is_wrong(expression: str, message: str) -> None:
    text = f"SELECT {expression} AS x FROM days WHERE place = 1 AND day = '2024-02-29'"
    diagnostics = piql.compile(f"{SOURCE}CREATE QUERY q AS {text};").diagnostics
    assert [message in diagnostic.message for diagnostic in diagnostics if diagnostic.severity == "error"] == [True]
