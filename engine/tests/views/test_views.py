"""What may be a view, what it costs each write, and what a store or an earlier version says against it."""

from __future__ import annotations

from pathlib import Path

import piql
import pytest
from piql.compiler import Compiler
from piql.compiler.syntax.parser import parse
from piql.compiler.syntax.printer import print_file
from piql.text.source import Source
from promises import broken_promises

from .orders import BEST, TABLE, VIEW, WRITES, db

__all__ = ["db"]


def refusal_of(view: str) -> tuple[str, str]:
    """Return the message and the help of the one error of a view."""
    (error,) = [finding for finding in piql.compile({"a": TABLE + view}).diagnostics if finding.severity == "error"]
    return error.message, " ".join(error.help)


@pytest.mark.parametrize(
    ("select", "message", "way_out"),
    [
        ("SELECT COUNT(*) AS n FROM orders", "without GROUP BY", "add GROUP BY"),
        ("SELECT day, COUNT(*) AS n FROM orders GROUP BY day", "day may be NULL", "WHERE day IS NOT NULL"),
        ("SELECT buyer, SUM(amount) AS s FROM orders GROUP BY buyer", "last row of a group is gone", "add COUNT(*)"),
        (
            "SELECT buyer, COUNT(*) AS n, SUM(price) AS s FROM orders GROUP BY buyer",
            "SUM of price is NULL",
            "COUNT(price)",
        ),
        ("SELECT buyer, COUNT(*) AS n, SUM(weight) AS s FROM orders GROUP BY buyer", "kept exactly", "DECIMAL"),
        ("SELECT buyer, COUNT(*) AS n, AVG(amount) AS a FROM orders GROUP BY buyer", "AVG of amount", "SUM(amount)"),
        (
            "SELECT buyer, COUNT(*) AS n, SUM(price) AS s, AVG(price) AS a FROM orders GROUP BY buyer",
            "SUM of price is NULL",
            "COUNT(price)",
        ),
        (
            "SELECT buyer, COUNT(*) AS n, AVG(weight) AS a FROM orders GROUP BY buyer",
            "kept exactly",
            "average a DECIMAL",
        ),
        ("SELECT buyer, COUNT(*) AS n, MAX(amount) AS a FROM orders GROUP BY buyer", "no MAX", "ORDER BY"),
        ("SELECT buyer, COUNT(DISTINCT id) AS n FROM orders GROUP BY buyer", "DISTINCT", "leave it out"),
        ("SELECT buyer, COUNT(*) FROM orders GROUP BY buyer", "has no name", "AS name"),
        ("SELECT COUNT(*) AS n FROM orders GROUP BY buyer", "not selected", "add buyer"),
        ("SELECT buyer, id, COUNT(*) AS n FROM orders GROUP BY buyer", "id is not grouped by", "GROUP BY"),
        ("SELECT buyer, amount + 1 AS x, COUNT(*) AS n FROM orders GROUP BY buyer", "holds columns", "compute"),
        ("SELECT * FROM orders GROUP BY buyer", "names its columns", "write the columns"),
        ("SELECT buyer, COUNT(*) AS n FROM orders WHERE id > [least] GROUP BY buyer", "[least]", "write constants"),
        ("SELECT buyer, COUNT(*) AS n FROM orders WHERE day < CURRENT_DATE GROUP BY buyer", "with constants", "test"),
        ("SELECT buyer, COUNT(*) AS n FROM orders WHERE id + 1 > 3 GROUP BY buyer", "with constants", "computed"),
        (
            "SELECT buyer, COUNT(*) AS n FROM orders WHERE id IN (SELECT id FROM orders) GROUP BY buyer",
            "without a query inside",
            "write constants",
        ),
        (
            "SELECT day, COUNT(*) AS n FROM orders WHERE day IS NULL OR id > 3 GROUP BY day",
            "day may be NULL",
            "WHERE day IS NOT NULL",
        ),
        ("SELECT buyer, COUNT(*) AS n FROM orders GROUP BY buyer HAVING COUNT(*) > 1", "no HAVING", "WHERE"),
        ("SELECT buyer, COUNT(*) AS n FROM orders GROUP BY buyer ORDER BY n", "no ORDER BY", "order the rows"),
        ("SELECT o.buyer, COUNT(*) AS n FROM orders o, orders p GROUP BY o.buyer", "nothing joins", "JOIN … ON"),
        ("SELECT buyer, COUNT(*) AS buyer FROM orders GROUP BY buyer", "two columns called buyer", "another name"),
        ("SELECT byer, COUNT(*) AS n FROM orders GROUP BY buyer", "no column byer", "buyer"),
        ("SELECT buyer, COUNT(*) AS n FROM ordrs GROUP BY buyer", "no table ordrs", "orders"),
        ("SELECT UPPER(buyer) AS b, COUNT(*) AS n FROM orders GROUP BY UPPER(buyer)", "grouped by columns", "column"),
        (
            "SELECT COALESCE(note, '') AS b, COUNT(*) AS n FROM orders GROUP BY note",
            "note may be NULL",
            "COALESCE(note",
        ),
        (
            "SELECT note, COUNT(*) AS n FROM orders GROUP BY COALESCE(note, '')",
            "note is selected",
            "COALESCE(note, '')",
        ),
        (
            "SELECT COALESCE(note, 'x') AS b, COUNT(*) AS n FROM orders GROUP BY COALESCE(note, 'y')",
            "'x') is selected",
            "select COALESCE(note, 'y')",
        ),
        ("SELECT COALESCE(note, ''), COUNT(*) AS n FROM orders GROUP BY COALESCE(note, '')", "has no name", "AS note"),
        ("SELECT COUNT(*) AS n FROM orders GROUP BY COALESCE(note, '')", "not selected", "add COALESCE(note, '')"),
        ("SELECT COUNT(*) AS n FROM orders GROUP BY COALESCE(note, buyer)", "grouped by columns", "COALESCE(column"),
        ("SELECT COUNT(*) AS n FROM orders GROUP BY COALESCE(note, 'longer than 8')", "longer", "a text"),
        ("SELECT COUNT(*) AS n FROM orders GROUP BY COALESCE(note, NULL)", "grouped by columns", "COALESCE(column"),
        (
            "SELECT note, COUNT(*) AS n FROM orders GROUP BY COALESCE(note, ''), COALESCE(note, 'x')",
            "two ways",
            "leave",
        ),
    ],
)
def test_what_no_write_could_keep_is_refused_with_a_way_out(select: str, message: str, way_out: str) -> None:
    said, offered = refusal_of(f"CREATE VIEW v AS {select};")
    assert message in said
    assert way_out in offered


def test_a_view_of_a_view_is_refused() -> None:
    message, _ = refusal_of(VIEW + "CREATE VIEW w AS SELECT buyer, COUNT(*) AS n FROM totals GROUP BY buyer;")
    assert "no view is made of another" in message


@pytest.mark.parametrize("name", ["orders", "Totals"])
def test_a_name_means_one_table_or_view(name: str) -> None:
    text = VIEW + f"CREATE VIEW {name} AS SELECT id, COUNT(*) AS n FROM orders GROUP BY id;"
    codes = [finding.code for finding in piql.compile({"a": TABLE + text}).diagnostics]
    assert codes == ["duplicate-table"]


@pytest.mark.parametrize(
    "select",
    [
        "SELECT buyer, SUM(amount) AS total FROM orders GROUP BY buyer",
        "SELECT day, COUNT(*) AS n FROM orders GROUP BY day",
        "SELECT o.day, COUNT(*) AS n FROM orders o WHERE id > 3 OR amount = 2 GROUP BY o.day",
        "SELECT note, COUNT(*) AS n FROM orders GROUP BY note",
        "SELECT buyer, o.note AS words, COUNT(*) AS n FROM orders o WHERE id > 3 GROUP BY buyer, o.note",
        "SELECT buyer, COUNT(*) AS n, AVG(amount) AS a FROM orders GROUP BY buyer",
        "SELECT buyer, COUNT(*) AS price_sum, AVG(price) AS price_count FROM orders GROUP BY buyer",
    ],
)
def test_the_fix_mends_the_view(select: str) -> None:
    text = f"{TABLE}CREATE VIEW v AS {select};"
    (error,) = piql.compile({"a": text}).diagnostics
    for fix in error.fixes:
        mended = text
        for edit in sorted(fix.edits, key=lambda edit: -edit.start):
            mended = mended[: edit.start] + edit.text + mended[edit.end :]
        assert piql.compile({"a": mended}).diagnostics == (), mended


def test_a_view_is_formatted_and_stays_what_it_is() -> None:
    text = print_file(parse(Source("create view v as select buyer,count(*) n from orders group by buyer", "a")))
    assert text.startswith("CREATE VIEW v AS\nSELECT ")
    assert print_file(parse(Source(text, "a"))) == text
    assert piql.compile({"a": TABLE + text}).diagnostics == ()


@pytest.mark.parametrize(
    ("query", "groups", "once"),
    [("put", 2, 3), ("putNew", 1, 2), ("give", 2, 3), ("correct", 1, 3), ("weigh", 0, 0), ("remove", 1, 4)],
)
@pytest.mark.parametrize("condition", ["", "WHERE day IS NOT NULL AND amount > 0 "])
def test_a_write_pays_for_each_group_that_its_row_enters_or_leaves(
    query: str, groups: int, once: int, condition: str
) -> None:
    """`once` are the requests that make groups count it once where there are no transactions."""
    view = VIEW.replace("GROUP BY", condition + "GROUP BY")
    without = piql.compile({"a": TABLE + WRITES}).queries[query].bound
    with_view = piql.compile({"a": TABLE + view + WRITES}).queries[query].bound
    with_index = piql.compile({"a": TABLE + view + BEST + WRITES}).queries[query].bound
    assert without is not None
    assert with_view is not None
    assert with_index is not None
    assert with_view.operations - without.operations == 2 * groups + once
    assert with_index.operations - with_view.operations == 6 * groups
    assert any("totals" in term.reason for term in with_view.terms) is (groups > 0)


def test_an_edit_of_a_view_gives_what_a_new_compilation_gives() -> None:
    compiler = Compiler()
    texts = [
        TABLE + WRITES,
        TABLE + VIEW + WRITES,
        TABLE + VIEW + BEST + WRITES,
        TABLE + VIEW.replace("n,", "m,") + WRITES,
    ]
    for text in (*texts, *reversed(texts)):
        edited, new = compiler.compile({"a": text}), piql.compile({"a": text})
        assert [(name, query.bound) for name, query in edited.queries.items()] == [
            (name, query.bound) for name, query in new.queries.items()
        ]
        assert edited.diagnostics == new.diagnostics


def test_views_are_written_by_writes_to_their_table_only(db: piql.Database) -> None:
    (error,) = piql.compile({"a": TABLE + VIEW + "CREATE QUERY q AS DELETE FROM totals WHERE buyer = 'a';"}).diagnostics
    assert (error.code, error.help) == ("write-to-view", ("write orders",))
    db.deploy(piql.compile({"a": TABLE + VIEW + WRITES}))
    with pytest.raises(piql.ConstraintViolation, match="totals is a view"):
        db.load("totals", [{"buyer": "c", "n": 1}])


@pytest.mark.parametrize("is_new", [True, False])
def test_a_store_without_transactions_keeps_a_view_of_a_table(tmp_path: Path, is_new: bool) -> None:
    with piql.connect(f"stepwise:{tmp_path / 'a.db'}") as db:
        if not is_new:
            db.deploy(piql.compile({"a": TABLE + WRITES}))
            db.execute("put", {"id": 1, "buyer": "eve", "amount": 5})
        db.deploy(piql.compile({"a": TABLE + VIEW + WRITES}))
        for buyer in ("ada", "bob"):
            db.execute("put", {"id": 1, "buyer": buyer, "amount": 5})
        assert db.some_rows("totals", ["buyer", "n"], 9) == [("bob", 1)]


BOOKS = "CREATE TABLE books (id INT PRIMARY KEY, kind INT NOT NULL, shelf INT NOT NULL);"
SALES = """
CREATE TABLE sales (id INT PRIMARY KEY, book INT REFERENCES books, shelf INT NOT NULL, n INT NOT NULL
, CARDINALITY LIMIT 9 (n)
);
"""
BY_KIND = "CREATE VIEW v AS SELECT b.kind, COUNT(*) AS n FROM sales s JOIN books b ON b.id = s.book GROUP BY b.kind;"
OF_THE_SAME = "CREATE VIEW v AS SELECT s.book, COUNT(*) AS n FROM sales s JOIN sales o ON o.n = s.n GROUP BY s.book;"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (BOOKS + SALES + OF_THE_SAME, "joins sales to itself"),
        (BOOKS + SALES.replace("(n)", "(book)") + BY_KIND, "follows a change of books to at most 9 rows, by a limit"),
        (BOOKS + SALES.replace(" REFERENCES books", "") + BY_KIND, "nothing limits"),
        (BOOKS + SALES.replace("(n)", "(book)").replace(" REFERENCES books", "") + BY_KIND, "by a limit"),
    ],
)
def test_a_store_without_transactions_refuses_a_view_with_several_records_that_decide(
    text: str, reason: str, tmp_path: Path
) -> None:
    with piql.connect(f"stepwise:{tmp_path / 'a.db'}") as db, pytest.raises(piql.CompilationRefused, match=reason):
        db.deploy(piql.compile({"a": text}))


def test_a_store_without_transactions_wants_the_foreign_keys_of_a_view_in_force_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("piql.versions.change.steps.GRACE_SECONDS", 0.0)
    with piql.connect(f"stepwise:{tmp_path / 'a.db'}") as db:
        db.deploy(piql.compile({"a": BOOKS}))
        with pytest.raises(piql.CompilationRefused, match=r"sales \(book\), which is not in force yet"):
            db.deploy(piql.compile({"a": BOOKS + SALES + BY_KIND}))
        db.deploy(piql.compile({"a": BOOKS + SALES.replace(" REFERENCES books", "")}))
        with pytest.raises(piql.CompilationRefused, match="deploy the tables first, then the view"):
            db.deploy(piql.compile({"a": BOOKS + SALES + BY_KIND}))
        db.deploy(piql.compile({"a": BOOKS + SALES}))
        db.deploy(piql.compile({"a": BOOKS + SALES + BY_KIND}))
        db.load("books", [{"id": 1, "kind": 7, "shelf": 1}])
        db.load("sales", [{"id": 1, "book": 1, "shelf": 1, "n": 1}])
        assert db.some_rows("v", ["kind", "n"], 9) == [(7, 1)]


def test_a_store_without_transactions_keeps_views_over_a_rollback(tmp_path: Path) -> None:
    with piql.connect(f"stepwise:{tmp_path / 'a.db'}") as db:
        db.deploy(piql.compile({"a": TABLE + VIEW + WRITES}))
        db.deploy(piql.compile({"a": TABLE + VIEW + WRITES + BEST}))
        db.execute("put", {"id": 1, "buyer": "ada", "amount": 5})
        db.rollback()
        db.execute("put", {"id": 2, "buyer": "ada", "amount": 7})
        assert db.some_rows("totals", ["buyer", "n"], 9) == [("ada", 2)]
        db.rollback()
        assert [row["buyer"] for row in db.execute("best").rows] == ["ada"]


NAMED = (
    "CREATE VIEW notes AS SELECT COALESCE(note, '{}') AS note, COUNT(*) AS n FROM orders GROUP BY COALESCE(note, '{}');"
)
PUT_NOTE = "CREATE QUERY annotate AS UPDATE orders SET note = [note] WHERE id = [id];"


def groups_of(db: piql.Database) -> dict[str, int]:
    return dict(db.some_rows("notes", ["note", "n"], 9))


def test_rows_with_null_are_counted_under_the_value_that_stands_for_it(db: piql.Database) -> None:
    whole = TABLE + NAMED.format("none", "none") + WRITES + PUT_NOTE
    db.deploy(piql.compile({"a": whole}))
    assert groups_of(db) == {"none": 10}
    db.execute("annotate", {"id": 1, "note": "x"})
    db.execute("annotate", {"id": 2, "note": "none"})
    assert groups_of(db) == {"none": 9, "x": 1}
    db.execute("annotate", {"id": 1, "note": None})
    assert groups_of(db) == {"none": 10}
    db.execute("remove", {"id": 3})
    assert groups_of(db) == {"none": 9}
    assert broken_promises(db) == []
    with pytest.raises(piql.CompilationRefused, match="give the new one another name"):
        db.deploy(piql.compile({"a": TABLE + NAMED.format("other", "other") + WRITES}))


def test_a_column_with_a_value_for_null_may_become_not_null_and_back() -> None:
    nullable, filled = (TABLE.replace("note VARCHAR(8)", f"note VARCHAR(8){end}") for end in ("", " NOT NULL"))
    writes = PUT_NOTE + NAMED.format("none", "none")
    with piql.connect("embedded:") as db:
        db.deploy(piql.compile({"a": nullable + writes}))
        rows = [{"id": number, "buyer": "a", "amount": 1, "note": "xy"[number % 2]} for number in range(10)]
        db.load("orders", rows)
        db.deploy(piql.compile({"a": filled + writes}))
        db.deploy(piql.compile({"a": nullable + writes}))
        db.execute("annotate", {"id": 1, "note": None})
        assert groups_of(db) == {"none": 1, "x": 5, "y": 4}
        assert broken_promises(db) == []


def test_what_a_view_holds_cannot_change_under_its_name(db: piql.Database) -> None:
    db.deploy(piql.compile({"a": TABLE + VIEW + WRITES}))
    with_condition = VIEW.replace("GROUP BY", "WHERE id > 3 GROUP BY")
    for view in (VIEW.replace("SUM(amount) AS total", "COUNT(id) AS total"), with_condition):
        with pytest.raises(piql.CompilationRefused, match="give the new one another name"):
            db.deploy(piql.compile({"a": TABLE + view + WRITES}))


def test_two_conditions_that_are_shown_alike_are_not_the_same(db: piql.Database) -> None:
    def text(word: str) -> str:
        return TABLE + VIEW.replace("GROUP BY", f"WHERE buyer <> '{word}' GROUP BY") + WRITES

    db.deploy(piql.compile({"a": text("x" * 50)}))
    db.deploy(piql.compile({"a": "\n" + text("x" * 50)}))
    with pytest.raises(piql.CompilationRefused, match="give the new one another name"):
        db.deploy(piql.compile({"a": text("x" * 51)}))


def test_a_sum_that_does_not_fit_refuses_the_write_and_a_view_that_would_hold_it(tmp_path: Path) -> None:
    table = TABLE.replace("amount INT", "amount BIGINT")
    with piql.connect(f"embedded:{tmp_path / 'a.db'}?synchronous=NORMAL") as db:
        db.deploy(piql.compile({"a": table + WRITES}))
        db.load("orders", [{"id": number, "buyer": "a", "amount": 2**62} for number in range(2)])
        with pytest.raises(piql.CompilationRefused, match=r"each sum must fit its column, but .*outside the range"):
            db.deploy(piql.compile({"a": table + VIEW + WRITES}))
        db.execute("remove", {"id": 0})
        db.deploy(piql.compile({"a": table + VIEW + WRITES}))
        with pytest.raises(piql.ConstraintViolation, match="outside the range of BIGINT"):
            db.execute("put", {"id": 0, "buyer": "a", "amount": 2**62})
        db.execute("put", {"id": 0, "buyer": "b", "amount": 2**62})
        assert broken_promises(db) == []
