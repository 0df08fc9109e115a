"""Best Sellers and Admin Confirm, read from views that each order line keeps: as DuckDB counts them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import duckdb
import piql
import pytest
from tpcw.data import generate, item_id

HERE = Path(__file__).resolve().parent.parent
FOLDERS = (HERE, HERE.parent / "tpcw-views")

BEST = """
SELECT i_id, SUM(ol_qty) AS sold FROM order_line JOIN item ON i_id = ol_i_id
WHERE i_subject = ? GROUP BY i_id ORDER BY sold DESC, i_id
"""
CONFIRM = """
SELECT also.ol_i_id, SUM(also.ol_qty) AS sold FROM order_line bought JOIN order_line also USING (ol_o_id)
WHERE bought.ol_i_id = ? AND also.ol_i_id <> bought.ol_i_id GROUP BY also.ol_i_id ORDER BY sold DESC, also.ol_i_id
"""


def texts() -> dict[str, str]:
    return {path.name: path.read_text() for folder in FOLDERS for path in sorted(folder.rglob("*.piql"))}


def mended() -> Mapping[str, str]:
    """Return the texts with what the compiler offers for Admin Confirm: a limit on the lines of an order."""
    files = texts()
    (error,) = (finding for finding in piql.compile(files).diagnostics if finding.severity == "error")
    assert error.code == "view-form"
    (fix,) = error.fixes
    assert fix.title == "Add CARDINALITY LIMIT 100 (ol_o_id) to order_line"
    for edit in fix.edits:
        text = files[edit.file]
        files[edit.file] = text[: edit.start] + edit.text + text[edit.end :]
    return files


@pytest.fixture(scope="module")
def compilation() -> piql.Compilation:
    return piql.compile(mended())


@pytest.fixture
def db(compilation: piql.Compilation) -> Iterator[piql.Database]:
    with piql.connect("embedded:") as db:
        db.deploy(compilation)
        for table, rows in generate(customers=40, items=60).items():
            db.load(table, rows)
        yield db


def counted(db: piql.Database, statement: str, value: object) -> list[tuple[object, int]]:
    with duckdb.connect() as duck:
        for table, columns in (("item", ("i_id", "i_subject")), ("order_line", ("ol_o_id", "ol_i_id", "ol_qty"))):
            types = (f"{name} {'INT' if name == 'ol_qty' else 'VARCHAR'}" for name in columns)
            duck.execute(f"CREATE TABLE {table} ({', '.join(types)})")
            duck.executemany(
                f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})", db.some_rows(table, columns, 10_000)
            )
        return duck.execute(statement, [value]).fetchall()


def test_the_best_sellers_are_those_that_duckdb_counts(db: piql.Database) -> None:
    subjects = {row[0] for row in db.some_rows("item", ("i_subject",), 100)}
    for subject in subjects:
        page = db.execute("bestSellers", {"subject": subject})
        foretold = counted(db, BEST, subject)
        assert sorted((row["sold"] for row in page.rows), reverse=True) == [row["sold"] for row in page.rows]
        assert sorted((row["i_id"], row["sold"]) for row in page.rows) == sorted(foretold)


def test_an_order_line_changes_both(db: piql.Database) -> None:
    ((order, number),) = db.some_rows("order_line", ("ol_o_id", "ol_id"), 1)
    page = db.execute("addOrderLine", {"order": order, "line": 99, "item": item_id(3), "quantity": 1000})
    bound = db.deployment.compilation.queries["addOrderLine"].bound
    assert bound is not None
    assert page.operations <= bound.operations
    for item in (item_id(3), item_id(4), item_id(5)):
        page = db.execute("adminConfirm", {"item": item})
        foretold = counted(db, CONFIRM, item)
        assert [row["sold"] for row in page.rows] == [sold for _, sold in foretold[:5]]
        assert page.operations == 1
    assert number is not None


def test_best_sellers_need_no_limit() -> None:
    files = {name: text for name, text in texts().items() if name != "adminConfirm.piql"}
    compilation = piql.compile(files)
    assert not [finding for finding in compilation.diagnostics if finding.severity == "error"]
    bound = compilation.queries["bestSellers"].bound
    line, alone = compilation.queries["addOrderLine"].bound, piql.compile(HERE).queries["addOrderLine"].bound
    assert bound is not None
    assert line is not None
    assert alone is not None
    assert bound.operations == 101
    of_each = 1 + 8  # its book, its group and that one's place among the best: see below, and twice that by steps
    assert line.operations - alone.operations == 2 * of_each + 1  # of the line, and of one that it replaces


def test_a_line_reads_its_book_and_changes_one_group_and_its_place_among_the_best() -> None:
    files = {name: text for name, text in texts().items() if name != "adminConfirm.piql"}
    added = []
    for compilation in (piql.compile(HERE), piql.compile(files)):
        with piql.connect("embedded:") as db:
            db.deploy(compilation)
            for table, rows in generate(customers=40, items=60).items():
                db.load(table, rows)
            (((order, item),), line) = db.some_rows("order_line", ("ol_o_id", "ol_i_id"), 1), 99
            page = db.execute("addOrderLine", {"order": order, "line": line, "item": item, "quantity": 1})
            added.append(page.operations)
    assert added[1] - added[0] == 5


def test_a_store_without_transactions_keeps_the_best_sellers(tmp_path: Path) -> None:
    files = {name: text for name, text in texts().items() if name != "adminConfirm.piql"}
    with piql.connect(f"stepwise:{tmp_path / 'a.db'}") as db:
        db.deploy(piql.compile(files))
        for table, rows in generate(customers=8, items=20).items():
            db.load(table, rows)
        ((order, item, subject),) = [
            (order, item, subject)
            for order, item in db.some_rows("order_line", ("ol_o_id", "ol_i_id"), 1)
            for book, subject in db.some_rows("item", ("i_id", "i_subject"), 99)
            if book == item
        ]
        page = db.execute("addOrderLine", {"order": order, "line": 99, "item": item, "quantity": 1000})
        bound = db.deployment.compilation.queries["addOrderLine"].bound
        assert bound is not None
        assert page.operations <= bound.operations
        rows = db.execute("bestSellers", {"subject": subject}).rows
        assert sorted((row["i_id"], row["sold"]) for row in rows) == sorted(counted(db, BEST, subject))
