"""A range of few whole numbers bounds the rows of a key or limit, however its ends are written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import duckdb
import piql
import pytest

STRATEGIES = ("parallel", "simple", "lazy")
LARGEST = 2**31 - 1
SCHEMA = """
CREATE TABLE items (
  id INT PRIMARY KEY, code BIGINT UNIQUE, grade INT, price DECIMAL(6, 2), CARDINALITY LIMIT 2 (grade)
);
CREATE TABLE lines (
  shop INT, day INT, no INT, item INT NULL, PRIMARY KEY (shop, day, no), CARDINALITY LIMIT 3 (shop, day)
);
CREATE TABLE marks (day INT, shop INT, mark INT, PRIMARY KEY (day, shop));
"""
SORTED = {"items": "price", "lines": "item", "marks": "mark"}
# All groups of `lines` are at their limit, and all numbers of a range are there, so that bounds are met.
NUMBERS = [*range(-3, 40), -LARGEST - 1, -LARGEST, LARGEST - 1, LARGEST]
ROWS: Mapping[str, list[tuple[object, ...]]] = {
    "items": [(number, -number, at // 2, number % 7) for at, number in enumerate(NUMBERS)],
    "lines": [(shop, day, no, (day + no) % 40) for shop in (1, 2) for day in NUMBERS for no in range(3)],
    "marks": [(day, shop, day % 5) for shop in (1, 2, 3) for day in NUMBERS],
}
# Spellings of one range, with the rows that it lets through at most.
RANGES: Mapping[str, tuple[int, tuple[str, ...]]] = {
    "eleven keys": (
        11,
        (
            "items.id BETWEEN 10 AND 20",
            "items.id > 9 AND items.id < 21",
            "20 >= items.id AND items.id >= 10",
            "NOT (items.id < 10 OR items.id > 20)",
            "items.id > 9 AND items.id <= 20 AND items.id < 300",
            "items.id >= 9.5 AND items.id <= 20.5",
        ),
    ),
    "a unique column": (5, ("items.code BETWEEN -7 AND -3", "items.code >= -7 AND items.code < -2")),
    "groups": (8, ("items.grade BETWEEN 3 AND 6", "items.grade > 2 AND items.grade < 7")),
    "from a parameter on": (
        20,
        (
            "items.id >= [n] - 20 AND items.id < [n]",
            "items.id > [n] - 21 AND items.id <= [n] - 1",
            "items.id BETWEEN [n] - 20 AND [n] - 1",
            "items.id >= [n] - 20 AND items.id < [n] AND items.id > [n] - 30",
        ),
    ),
    "of one shop": (
        12,
        (
            "lines.shop = 1 AND lines.day >= [n] AND lines.day < [n] + 4",
            "lines.shop = 1 AND lines.day BETWEEN [n] AND 3 + [n]",
        ),
    ),
    "of some shops": (12, ("lines.shop IN (1, 2) AND lines.day BETWEEN 4 AND 5",)),
    "by the first column of a key": (
        4,
        (
            "marks.shop = 2 AND marks.day BETWEEN [n] AND [n] + 3",
            "marks.shop = 2 AND [n] - 1 < marks.day AND marks.day < [n] + 4",
        ),
    ),
}
PARAMETERS = (0, 5, 38, -LARGEST - 1, LARGEST, None)


@pytest.fixture(scope="module")
def reference() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE items (id INT, code BIGINT, grade INT, price DECIMAL(6, 2))")
        connection.execute("CREATE TABLE lines (shop INT, day INT, no INT, item INT)")
        connection.execute("CREATE TABLE marks (day INT, shop INT, mark INT)")
        for table, rows in ROWS.items():
            connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", [*map(list, rows)])
        yield connection


def texts() -> Iterator[tuple[str, int]]:
    """Return each query with the bound of its rows."""
    for most, tests in RANGES.values():
        for test in tests:
            table = next(name for name in ROWS if f"{name}." in test)
            yield f"SELECT * FROM {table} WHERE {test}", most
            yield f"SELECT COUNT(*) AS n FROM {table} WHERE {test}", 1
            yield f"SELECT * FROM {table} WHERE {test} ORDER BY {table}.{SORTED[table]}", most


def test_a_range_of_few_numbers_bounds_a_read(reference: duckdb.DuckDBPyConnection) -> None:
    queries = {f"q{at}": (text, most) for at, (text, most) in enumerate(texts())}
    joined = (
        "SELECT lines.no, items.price FROM lines JOIN items ON items.id = lines.item "
        "WHERE lines.shop = 2 AND lines.day >= [n] - 2 AND lines.day < [n]"
    )
    queries["joined"] = (joined, 6)
    queries["if_any"] = (joined.replace("JOIN items", "LEFT JOIN items"), 6)
    compilation = piql.compile(
        SCHEMA + "".join(f"CREATE QUERY {name} AS {text};\n" for name, (text, _) in queries.items())
    )
    assert [diagnostic.message for diagnostic in compilation.diagnostics if diagnostic.severity == "error"] == []
    met = 0
    with piql.connect("embedded:") as db:
        db.deploy(compilation)
        for table, rows in ROWS.items():
            names = [column.name for column in compilation.catalog.tables[table].columns]
            db.load(table, [dict(zip(names, row, strict=True)) for row in rows])
        for name, (text, most) in queries.items():
            bound = compilation.queries[name].bound
            assert bound is not None
            assert bound.rows == most, text
            for number, value in enumerate(PARAMETERS if "[n]" in text else (0,)):
                given = {"n": value} if "[n]" in text else {}
                as_sql = text.replace("[n]", "NULL" if value is None else f"CAST({value} AS BIGINT)")
                right = Counter(map(str, reference.execute(as_sql).fetchall()))
                page = db.execute(name, given, strategy=STRATEGIES[number % 3])
                assert Counter(str(tuple(row.values())) for row in page.rows) == right, as_sql
                assert page.operations <= bound.operations, as_sql
                assert len(page.rows) <= bound.rows, as_sql
                met += len(page.rows) == bound.rows > 1
    assert met > len(queries) / 3


@pytest.mark.parametrize(
    "test",
    [
        "id BETWEEN [a] AND [b]",
        "id BETWEEN 1 AND 1000000000",
        "id > 5",
        "id >= [n] - 20 AND id < [m]",
        "id >= 20 - [n] AND id < [n]",
        "id >= [n] * 2 AND id < [n]",
        "price BETWEEN 1 AND 2",
    ],
)
def test_a_range_of_many_values_bounds_nothing(test: str) -> None:
    compilation = piql.compile(f"{SCHEMA}CREATE QUERY q AS SELECT * FROM items WHERE {test};")
    assert not compilation.queries["q"].is_bounded


@pytest.mark.parametrize(
    ("test", "rewritten"),
    [
        ("id >= [a] AND id < [b]", "id >= [b] - 20 AND id < [b]"),
        ("grade BETWEEN [a] AND [b]", "grade >= [b] - 20 AND grade < [b]"),
        ("id >= [a] AND id < 1000000000", "id >= [a] AND id < [a] + 20"),
        ("id > [a] * 2 AND id < [b]", "id >= [b] - 20 AND id < [b]"),
    ],
)
def test_a_range_between_two_parameters_is_offered_with_one(test: str, rewritten: str) -> None:
    refused = piql.compile(f"{SCHEMA}CREATE QUERY q AS SELECT COUNT(*) AS n FROM items WHERE {test};").queries["q"]
    offered = "or write both ends of the range with one parameter, so that their distance is known: "
    (rewriting,) = [line for finding in refused.diagnostics for line in finding.help if line.startswith(offered)]
    assert rewriting == offered + rewritten
    accepted = piql.compile(f"{SCHEMA}CREATE QUERY q AS SELECT COUNT(*) AS n FROM items WHERE {rewritten};")
    assert accepted.queries["q"].is_bounded


@pytest.mark.parametrize(
    "test", ["id > [a]", "price BETWEEN [a] AND [b]", "id BETWEEN 1 AND 1000000000", "id > [a] * 2 AND id < [a] * 3"]
)
def test_no_other_ends_are_offered_for_a_range_that_they_would_not_bound(test: str) -> None:
    refused = piql.compile(f"{SCHEMA}CREATE QUERY q AS SELECT COUNT(*) AS n FROM items WHERE {test};").queries["q"]
    assert refused.diagnostics
    assert not any("both ends" in line for finding in refused.diagnostics for line in finding.help)


@pytest.mark.parametrize(
    ("test", "rewritten"),
    [
        ("id >= :from AND id < :to", "id >= :to - 20 AND id < :to"),
        ("id > [from] AND id < [to]", "id > [to] - 21 AND id < [to]"),
        ("id BETWEEN [from] AND [to]", "id BETWEEN [to] - 19 AND [to]"),
        ("id >= [from] AND id < 1000000000", "id >= [from] AND id < [from] + 20"),
    ],
)
def test_a_range_between_two_parameters_has_a_fix_that_reads_20_numbers(test: str, rewritten: str) -> None:
    text = f"{SCHEMA}CREATE QUERY q AS SELECT id FROM items WHERE {test};"
    (finding,) = piql.compile(text).queries["q"].diagnostics
    fix = finding.fixes[0]
    (edit,) = fix.edits
    mended = text[: edit.start] + edit.text + text[edit.end :]
    assert mended == text.replace(test, rewritten)
    assert fix.consequence.startswith("changes the answer: the range holds 20 numbers of id, counted from")
    bound = piql.compile(mended).queries["q"].bound
    assert bound is not None
    assert bound.rows == 20


@pytest.mark.parametrize("test", ["id >= ? AND id < ?", "id > [a] AND id >= [c] AND id < [b]", "id > [a]"])
def test_a_range_that_one_parameter_cannot_tell_has_no_such_fix(test: str) -> None:
    refused = piql.compile(f"{SCHEMA}CREATE QUERY q AS SELECT id FROM items WHERE {test};").queries["q"]
    assert refused.diagnostics
    assert not any("counted from" in fix.consequence for finding in refused.diagnostics for fix in finding.fixes)
