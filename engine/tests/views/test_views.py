"""What may be a view, what it costs each write, and how it is deployed, filled, kept and left."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import piql
import pytest
from piql.compiler import Compiler
from piql.compiler.syntax.parser import parse
from piql.compiler.syntax.printer import print_file
from piql.text.source import Source
from piql.versions.change.build import BackfillRate
from piql.versions.change.progress import Task, read_progress
from piql.versions.deploy import begin_deploy
from promises import broken_promises

TABLE = """CREATE TABLE orders (
  id INT PRIMARY KEY, buyer VARCHAR(8) NOT NULL, day DATE, price DECIMAL(8, 2), weight DOUBLE, amount INT NOT NULL,
  note VARCHAR(8));
"""
WRITES = """
CREATE QUERY put AS INSERT INTO orders (id, buyer, amount) VALUES ([id], [buyer], [amount]);
CREATE QUERY putNew AS INSERT INTO orders (id, buyer, amount) VALUES ([id], [buyer], [amount]) IF NOT EXISTS;
CREATE QUERY give AS UPDATE orders SET buyer = [buyer] WHERE id = [id];
CREATE QUERY correct AS UPDATE orders SET amount = [amount] WHERE id = [id];
CREATE QUERY weigh AS UPDATE orders SET weight = [weight] WHERE id = [id];
CREATE QUERY remove AS DELETE FROM orders WHERE id = [id];
"""
VIEW = "CREATE VIEW totals AS SELECT buyer, COUNT(*) AS n, SUM(amount) AS total FROM orders GROUP BY buyer;\n"
BEST = "CREATE QUERY best AS SELECT buyer, total FROM totals ORDER BY total DESC LIMIT 3;\n"
SLOW = BackfillRate(step_rows=2, first_rows=0, busy_share=1.0)


def tasks_of(db: piql.Database) -> tuple[Task, ...]:
    """Return the tasks of the change in progress, as they stand."""
    progress = read_progress(db.store)
    return progress.tasks if progress is not None else ()


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


@pytest.fixture
def db(tmp_path: Path) -> Iterator[piql.Database]:
    with piql.connect(f"embedded:{tmp_path / 'a.db'}?synchronous=NORMAL") as db:
        db.deploy(piql.compile({"a": TABLE + WRITES}))
        db.load("orders", [{"id": number, "buyer": "ab"[number % 2], "amount": number} for number in range(10)])
        yield db


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


def test_after_a_rollback_the_view_is_kept_and_comes_back_without_being_filled(db: piql.Database) -> None:
    whole = piql.compile({"a": TABLE + VIEW + BEST + WRITES})
    db.deploy(whole)
    db.rollback()
    with pytest.raises(piql.NotDeployed):
        db.execute("best", {})
    assert [view.table.name for view in db.deployment.other_views] == ["totals"]
    db.execute("give", {"id": 9, "buyer": "c"})
    assert broken_promises(db) == []
    build = begin_deploy(db.store, whole, pace=SLOW)
    assert "view" not in [task["kind"] for task in json.loads(db.store.settings()["change"])["tasks"]]
    build.run()
    assert db.execute("best", {}).rows[-1] == {"buyer": "c", "total": 9}
    assert broken_promises(db) == []


def test_a_view_that_is_being_filled_counts_each_row_once(db: piql.Database) -> None:
    build = begin_deploy(db.store, piql.compile({"a": TABLE + VIEW + BEST + WRITES}), pace=SLOW)
    for number in (0, 9, 4, 5, 100, -1):  # behind the walk and before it
        db.execute("put", {"id": number, "buyer": "c", "amount": 1000})
        db.execute("remove", {"id": 9 - number})
        build.step()
    build.run()
    assert broken_promises(db) == []
    assert db.execute("best", {}).rows[0]["buyer"] == "c"


@pytest.mark.parametrize("is_loaded", [False, True])
def test_a_write_that_a_coming_view_cannot_hold_is_made_and_the_view_refused(is_loaded: bool, tmp_path: Path) -> None:
    table = TABLE.replace("amount INT", "amount BIGINT")
    with piql.connect(f"embedded:{tmp_path / 'a.db'}?synchronous=NORMAL") as db:
        db.deploy(piql.compile({"a": table + WRITES}))
        db.load("orders", [{"id": number, "buyer": "a", "amount": 2**61} for number in range(3)])
        build = begin_deploy(db.store, piql.compile({"a": table + VIEW + WRITES}), pace=SLOW)
        while build.step() and not any(task.kind == "view" and task.is_done for task in tasks_of(db)):
            pass
        assert build.progress.phase == "filling"
        row = {"id": 0, "buyer": "a", "amount": 2**62}
        if is_loaded:
            db.load("orders", [row])
        else:
            db.execute("put", row)
        with pytest.raises(piql.CompilationRefused, match=r"each sum must fit its column, but .*outside the range"):
            build.run()
        assert sorted(db.some_rows("orders", ["id", "amount"], 9)) == [(0, 2**62), (1, 2**61), (2, 2**61)]
        db.execute("remove", {"id": 0})
        db.deploy(piql.compile({"a": table + VIEW + WRITES}))
        assert broken_promises(db) == []


@pytest.mark.parametrize(("before", "after"), [("price", "price NOT NULL"), ("price NOT NULL", "price")])
def test_a_summed_column_may_become_nullable_and_back(before: str, after: str, tmp_path: Path) -> None:
    def text(column: str) -> str:
        name, _, suffix = column.partition(" ")
        return (
            f"CREATE TABLE line (id INT PRIMARY KEY, k INT NOT NULL, {name} DECIMAL(8, 2) {suffix});"
            "CREATE VIEW v AS SELECT k, COUNT(*) AS n, COUNT(price) AS m, SUM(price) AS s FROM line GROUP BY k;"
        )

    with piql.connect(f"embedded:{tmp_path / 'a.db'}?synchronous=NORMAL") as db:
        db.deploy(piql.compile({"a": text(before)}))
        db.load("line", [{"id": 1, "k": 1, "price": 2}])
        db.deploy(piql.compile({"a": text(after)}))
        nulls = [] if "NOT NULL" in after else [{"id": 2, "k": 2}]
        db.load("line", [{"id": 3, "k": 1, "price": 3}, *nulls])
        assert broken_promises(db) == []


def test_a_cancelled_view_is_emptied_before_it_is_filled_again(db: piql.Database) -> None:
    whole = piql.compile({"a": TABLE + VIEW + BEST + WRITES})
    build = begin_deploy(db.store, whole, pace=SLOW)
    for _ in range(5):
        build.step()
    build.cancel()
    db.execute("remove", {"id": 0})
    db.deploy(whole)
    assert broken_promises(db) == []


@pytest.mark.parametrize("is_in_section", [False, True])
def test_after_a_rollback_a_write_that_the_view_cannot_hold_is_made_and_the_view_left(
    is_in_section: bool, tmp_path: Path
) -> None:
    table = TABLE.replace("amount INT", "amount BIGINT").replace("\n", " CARDINALITY LIMIT 9 (buyer),\n", 1)
    every = "CREATE QUERY raise AS UPDATE orders SET amount = [amount] WHERE buyer = [buyer];"
    whole = piql.compile({"a": table + VIEW + BEST + WRITES + every})
    with piql.connect(f"embedded:{tmp_path / 'a.db'}?synchronous=NORMAL") as db:
        db.deploy(piql.compile({"a": table + WRITES + every}))
        db.deploy(whole)
        db.load("orders", [{"id": number, "buyer": "a", "amount": 2**61} for number in range(3)])
        db.rollback()
        if is_in_section:
            db.execute("raise", {"buyer": "a", "amount": 2**62})
        else:
            db.execute("put", {"id": 3, "buyer": "a", "amount": 2**62})
        assert not db.deployment.other_views
        assert broken_promises(db) == []
        with pytest.raises(piql.CompilationRefused, match="each sum must fit its column"):
            db.deploy(whole)
        db.execute("raise", {"buyer": "a", "amount": 1})
        db.deploy(whole)
        assert db.execute("best", {}).rows[0]["total"] == (3 if is_in_section else 4)
        assert broken_promises(db) == []


def test_a_change_that_relies_on_the_view_of_the_version_before_is_refused_when_a_write_does_not_fit_it(
    tmp_path: Path,
) -> None:
    table = TABLE.replace("amount INT", "amount BIGINT")
    with piql.connect(f"embedded:{tmp_path / 'a.db'}?synchronous=NORMAL") as db:
        db.deploy(piql.compile({"a": table + WRITES}))
        db.deploy(piql.compile({"a": table + VIEW + WRITES}))
        db.load("orders", [{"id": number, "buyer": "a", "amount": 2**61} for number in range(3)])
        db.rollback()
        build = begin_deploy(db.store, piql.compile({"a": table + VIEW + BEST + WRITES}), pace=SLOW)
        db.execute("put", {"id": 3, "buyer": "a", "amount": 2**62})
        with pytest.raises(piql.CompilationRefused, match="each sum must fit its column"):
            build.run()
        assert len(db.some_rows("orders", ["id"], 9)) == 4
        assert broken_promises(db) == []


def test_a_view_is_removed_by_its_name_and_its_rows_go_once_no_rollback_returns_to_it(db: piql.Database) -> None:
    db.deploy(piql.compile({"a": TABLE + VIEW + BEST + WRITES}))
    without = piql.compile({"a": TABLE + WRITES})
    with pytest.raises(piql.CompilationRefused, match="best would break"):
        db.deploy(without, forget=["totals"])
    db.deploy(without, forget=["totals", "best"])
    assert "totals" not in db.deployment.tables
    assert broken_promises(db) == []
    totals = db.deployment.kept["totals"]
    db.deploy(piql.compile({"a": TABLE + WRITES + "CREATE QUERY one AS SELECT id FROM orders WHERE id = [id];"}))
    assert db.store.estimate_rows(totals) == 2
    db.deploy(piql.compile({"a": TABLE + WRITES + "CREATE QUERY two AS SELECT id FROM orders WHERE id = [id];"}))
    assert db.store.estimate_rows(totals) == 0
    db.deploy(piql.compile({"a": TABLE + VIEW + BEST + WRITES}))
    assert db.execute("best", {}).rows[0] == {"buyer": "b", "total": 25}
    assert broken_promises(db) == []


def test_a_summed_column_may_get_more_digits_behind_the_point(tmp_path: Path) -> None:
    def text(type_name: str) -> str:
        return (
            f"CREATE TABLE line (id INT PRIMARY KEY, k INT NOT NULL, price {type_name} NOT NULL);"
            "CREATE VIEW v AS SELECT k, COUNT(*) AS n, SUM(price) AS s FROM line GROUP BY k;"
        )

    with piql.connect(f"embedded:{tmp_path / 'a.db'}?synchronous=NORMAL") as db:
        db.deploy(piql.compile({"a": text("DECIMAL(36, 2)")}))
        db.load("line", [{"id": 1, "k": 1, "price": Decimal("2.25")}])
        db.deploy(piql.compile({"a": text("DECIMAL(38, 4)")}))
        db.load("line", [{"id": 2, "k": 1, "price": Decimal("0.0001")}])
        assert db.some_rows("v", ["n", "s"], 9) == [(2, Decimal("2.2501"))]
        assert broken_promises(db) == []


def test_a_sum_that_more_digits_behind_the_point_leave_no_room_for_refuses_the_version(tmp_path: Path) -> None:
    text = (
        "CREATE TABLE line (id INT PRIMARY KEY, k INT NOT NULL, price DECIMAL(34, 2) NOT NULL);"
        "CREATE VIEW v AS SELECT k, COUNT(*) AS n, SUM(price) AS s FROM line GROUP BY k;"
    )
    with piql.connect(f"embedded:{tmp_path / 'a.db'}?synchronous=NORMAL") as db:
        db.deploy(piql.compile({"a": text}))
        db.load("line", [{"id": number, "k": 1, "price": 6 * Decimal(10) ** 31} for number in range(200)])
        with pytest.raises(piql.CompilationRefused, match=r"v\.s must be DECIMAL\(38, 6\)"):
            db.deploy(piql.compile({"a": text.replace("34, 2", "38, 6")}))
        assert broken_promises(db) == []
