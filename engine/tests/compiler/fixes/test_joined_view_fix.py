"""The fix that keeps a view of several tables: it compiles, says what writes pay, and gives what DuckDB gives."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import duckdb
import piql
import pytest
from piql.text.diagnostics.diagnostic import Fix

BOOKS = "book INT PRIMARY KEY, subject VARCHAR(8) NOT NULL, title VARCHAR(8), price DECIMAL(6, 2)"
SALES = "receipt INT, book INT{}, copies INT NOT NULL, tip INT, shop VARCHAR(4), PRIMARY KEY (receipt, book){}"
TABLES = (
    f"CREATE TABLE books ({BOOKS});\n"
    f"CREATE TABLE sales ({SALES.format(' REFERENCES books', ', CARDINALITY LIMIT 9 (receipt)')});\n"
)
PUT = (
    "CREATE QUERY put AS INSERT INTO sales (receipt, book, copies) VALUES ([r], [b], [c]);\n"
    "CREATE QUERY move AS UPDATE books SET subject = [s] WHERE book = [b];\n"
)
BEST = "SELECT s.book, SUM(s.copies) AS n FROM sales s JOIN books b ON b.book = s.book"


def view_fix(text: str) -> Fix | None:
    errors = [finding for finding in piql.compile({"a": text}).diagnostics if finding.severity == "error"]
    assert errors
    return next((fix for error in errors for fix in error.fixes if "eep the view" in fix.title), None)


def mended(text: str, fix: Fix) -> str:
    for edit in sorted(fix.edits, key=lambda edit: -edit.start):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


@pytest.mark.parametrize(
    ("select", "parameters"),
    [
        (f"{BEST} WHERE b.subject = [s] GROUP BY s.book ORDER BY n DESC, s.book LIMIT 3", {"s": "art"}),
        (f"{BEST} WHERE b.subject = [s] GROUP BY s.book ORDER BY SUM(s.copies) DESC, book LIMIT 3", {"s": "war"}),
        (
            "SELECT s.book, o.book AS other, COUNT(*) AS n FROM sales s JOIN sales o ON o.receipt = s.receipt "
            "WHERE s.book = [b] GROUP BY s.book, o.book ORDER BY n DESC, other LIMIT 5",
            {"b": 3},
        ),
        (
            "SELECT COUNT(*) AS n, AVG(tip) AS t FROM sales, books WHERE sales.book = books.book AND subject = [s]",
            {"s": "art"},
        ),
        ("SELECT COUNT(tip), SUM(price) AS p FROM sales JOIN books USING (book) WHERE [s] = subject", {"s": "none"}),
        (
            "SELECT b.subject, COUNT(*) + SUM(s.copies) AS n FROM books b JOIN sales s ON s.book = b.book "
            "WHERE s.shop = [x] AND b.subject > 'b' GROUP BY b.subject ORDER BY b.subject LIMIT 9",
            {"x": "a"},
        ),
    ],
)
def test_a_view_answers_what_the_refused_query_asks(select: str, parameters: Mapping[str, Any]) -> None:
    text = f"{TABLES}{PUT}CREATE QUERY q AS {select};"
    fix = view_fix(text)
    assert fix is not None
    compilation = piql.compile({"a": mended(text, fix)})
    assert not compilation.has_errors
    chance = random.Random(3)
    books = [(n, chance.choice(("art", "war")), chance.choice(("x", None)), chance.choice((None, 2))) for n in range(7)]
    sales = [
        (receipt, book, chance.randrange(5), chance.choice((None, 1, 4)), chance.choice(("a", None)))
        for receipt in range(12)
        for book in chance.sample(range(7), chance.randrange(4))
    ]
    with duckdb.connect() as duck, piql.connect("embedded:") as db:
        duck.execute(f"CREATE TABLE books ({BOOKS}); CREATE TABLE sales ({SALES.format('', '')})")
        duck.executemany("INSERT INTO books VALUES (?, ?, ?, ?)", books)
        duck.executemany("INSERT INTO sales VALUES (?, ?, ?, ?, ?)", sales)
        for name in parameters:
            select = select.replace(f"[{name}]", f"${name}")
        expected = duck.execute(select, dict(parameters)).fetchall()
        db.deploy(compilation)
        db.load("books", [dict(zip(("book", "subject", "title", "price"), row, strict=True)) for row in books])
        db.load("sales", [dict(zip(("receipt", "book", "copies", "tip", "shop"), row, strict=True)) for row in sales])
        page = db.execute("q", parameters)
    assert [tuple(row.values()) for row in page.rows] == expected
    bound = compilation.queries["q"].bound
    assert bound is not None
    assert page.operations <= bound.operations


@pytest.mark.parametrize(
    ("select", "parameters"),
    [
        ("SELECT COUNT(*) AS n, COUNT(b.book) AS there, SUM(b.price) AS p FROM {} WHERE l.shop = [x]", {"x": "a"}),
        ("SELECT l.day, COUNT(*) AS n, SUM(b.price) AS p FROM {} WHERE l.shop = [x] GROUP BY l.day", {"x": "a"}),
        ("SELECT COUNT(*) AS n, COUNT(l.copies) AS c FROM {} WHERE b.subject = [x]", {"x": "art"}),
        ("SELECT COUNT(l.copies) AS n FROM {} WHERE l.book = [x] AND b.subject = 'art'", {"x": 1}),
    ],
)
def test_a_view_with_left_join_keeps_the_rows_that_name_nothing(select: str, parameters: Mapping[str, Any]) -> None:
    loans = "id INT PRIMARY KEY, book INT NULL{}, copies INT, shop VARCHAR(4) NOT NULL, day INT NOT NULL"
    tables = f"CREATE TABLE books ({BOOKS});\nCREATE TABLE loans ({loans.format(' REFERENCES books')});\n"
    select = select.format("loans l LEFT JOIN books b ON b.book = l.book")
    text = f"{tables}CREATE QUERY q AS {select}{' ORDER BY l.day LIMIT 9' if 'GROUP' in select else ''};"
    fix = view_fix(text)
    assert fix is not None
    whole = mended(text, fix)
    assert " LEFT JOIN books b ON b.book = l.book" in whole
    books = [(1, "art", None, 2), (2, "war", "x", 3), (3, "art", None, None)]
    lent = [(at, (1, 2, 3, None)[at % 4], (None, at)[at % 2], "ab"[at % 3 % 2], at % 2) for at in range(20)]
    with duckdb.connect() as duck, piql.connect("embedded:") as db:
        duck.execute(f"CREATE TABLE books ({BOOKS}); CREATE TABLE loans ({loans.format('')})")
        duck.executemany("INSERT INTO books VALUES (?, ?, ?, ?)", books)
        duck.executemany("INSERT INTO loans VALUES (?, ?, ?, ?, ?)", lent)
        asked = select.replace("[x]", "$x") + (" ORDER BY l.day" if "GROUP" in select else "")
        expected = duck.execute(asked, dict(parameters)).fetchall()
        db.deploy(piql.compile({"a": whole}))
        db.load("books", [dict(zip(("book", "subject", "title", "price"), row, strict=True)) for row in books])
        db.load("loans", [dict(zip(("id", "book", "copies", "shop", "day"), row, strict=True)) for row in lent])
        assert [tuple(row.values()) for row in db.execute("q", parameters).rows] == expected


def test_the_fix_says_what_a_write_to_each_table_pays() -> None:
    text = f"{TABLES}{PUT}CREATE QUERY q AS {BEST} WHERE b.subject = [s] GROUP BY s.book ORDER BY n DESC LIMIT 3;"
    fix = view_fix(text)
    assert fix is not None
    assert fix.cost == (
        "at most 1 request an execution; a write takes more for it: one to sales at most 14, one to books at most 2; "
        "subject of a row of books stays while sales names the row"
    )
    before, after = (piql.compile({"a": t}).queries for t in (TABLES + PUT, mended(text, fix)))
    dearer = {
        name: bound.operations - earlier.operations
        for name in ("put", "move")
        if (bound := after[name].bound) is not None and (earlier := before[name].bound) is not None
    }
    assert dearer == {"put": 11, "move": 2}


def test_a_view_without_a_limit_that_it_needs_is_offered_with_the_limit() -> None:
    text = (
        f"{TABLES.replace(', CARDINALITY LIMIT 9 (receipt)', '')}CREATE QUERY q AS SELECT o.book, COUNT(*) AS n "
        "FROM sales s JOIN sales o ON o.receipt = s.receipt WHERE s.book = [b] GROUP BY o.book ORDER BY n DESC LIMIT 5;"
    )
    fix = view_fix(text)
    assert fix is not None
    assert fix.title == "Add CARDINALITY LIMIT 100 (receipt) to sales and keep the view sales_by_book_book_2 of sales"
    assert not piql.compile({"a": mended(text, fix)}).has_errors


@pytest.mark.parametrize(
    "select",
    [
        f"{BEST} AND b.price > 3 WHERE b.subject = [s] GROUP BY s.book LIMIT 3",
        f"{BEST} WHERE b.subject = [s] AND b.price > 3 GROUP BY s.book LIMIT 3",
        f"{BEST} WHERE b.subject = [s] GROUP BY s.book, b.title LIMIT 3",
        f"{BEST} WHERE b.subject = [s] GROUP BY s.book HAVING SUM(s.copies) > 3 LIMIT 3",
        f"{BEST.replace('SUM(s.copies)', 'MAX(s.tip)')} WHERE b.subject = [s] GROUP BY s.book LIMIT 3",
        f"{BEST.replace('JOIN', 'LEFT JOIN')} WHERE s.shop = [s] GROUP BY s.book, b.subject LIMIT 3",
        f"{BEST.replace('JOIN', 'LEFT JOIN')} AND s.copies = s.tip WHERE s.shop = [s] GROUP BY s.book LIMIT 3",
        f"{BEST.replace('JOIN', 'LEFT JOIN')} WHERE s.shop = [s] AND b.book = s.tip GROUP BY s.book LIMIT 3",
        "SELECT b.book, COUNT(*) AS n FROM books b LEFT JOIN sales s ON s.book = b.book WHERE b.subject = [s] "
        "GROUP BY b.book LIMIT 3",
        "SELECT COUNT(*) AS n FROM sales s JOIN books b ON b.book = s.book",
        "SELECT COUNT(*) AS n FROM sales s, books b WHERE b.subject = [s]",
    ],
)
def test_no_view_is_offered_that_would_not_answer_the_query(select: str) -> None:
    assert view_fix(f"{TABLES}CREATE QUERY q AS {select};") is None
