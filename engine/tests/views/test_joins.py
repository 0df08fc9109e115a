"""Views of several tables: what follows what, which limit a refusal names, and how they are filled and counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import piql
import pytest
from piql.client.recounts import recount, repair
from piql.compiler.physical.format import format_plan
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.transactional import TableWriter
from promises import broken_promises

LIMIT = ",\n  CARDINALITY LIMIT 20 (item)"
TABLES = f"""
CREATE TABLE makers (id INT PRIMARY KEY, country VARCHAR(8) NOT NULL);
CREATE TABLE items (
  id      INT PRIMARY KEY,
  subject VARCHAR(8) NOT NULL,
  title   VARCHAR(8),
  maker   INT REFERENCES makers
);
CREATE TABLE lines (
  number INT,
  part   INT,
  item   INT REFERENCES items,
  amount INT NOT NULL,
  note   VARCHAR(8),
  PRIMARY KEY (number, part),
  CARDINALITY LIMIT 20 (number){LIMIT}
);
"""
SOLD = """
CREATE VIEW sold AS
SELECT i.subject, l.item, COUNT(*) AS orders, SUM(l.amount) AS amount
FROM lines l JOIN items i ON i.id = l.item
GROUP BY i.subject, l.item;
CREATE QUERY best AS SELECT item, amount FROM sold WHERE subject = [subject] ORDER BY amount DESC LIMIT 3;
"""
TOGETHER = """
CREATE VIEW together AS
SELECT a.item, b.item AS beside, COUNT(*) AS orders
FROM lines a JOIN lines b ON b.number = a.number
WHERE a.item <> b.item
GROUP BY a.item, b.item;
"""
WRITES = """
CREATE QUERY add AS INSERT INTO lines (number, part, item, amount) VALUES ([n], [p], [i], [a]) IF NOT EXISTS;
CREATE QUERY put AS INSERT INTO lines (number, part, item, amount) VALUES ([n], [p], [i], [a]);
CREATE QUERY remove AS DELETE FROM lines WHERE number = [n] AND part = [p];
CREATE QUERY amount AS UPDATE lines SET amount = [a] WHERE number = [n] AND part = [p];
CREATE QUERY subject AS UPDATE items SET subject = [subject] WHERE id = [i];
CREATE QUERY title AS UPDATE items SET title = [title] WHERE id = [i];
CREATE QUERY item AS INSERT INTO items (id, subject, maker) VALUES ([i], [subject], 1) IF NOT EXISTS;
CREATE QUERY replace AS INSERT INTO items (id, subject, maker) VALUES ([i], [subject], 1);
CREATE QUERY forget AS DELETE FROM items WHERE id = [i];
"""
ITEMS = [{"id": number, "subject": "art" if number % 2 else "law", "maker": 1} for number in range(4)]
LINES = [{"number": at // 3, "part": at % 3, "item": at % 4, "amount": at + 1} for at in range(9)]


def filled(text: str, views: str = "") -> piql.Database:
    db = piql.connect("embedded:")
    db.deploy(piql.compile(text))
    db.load("makers", [{"id": 1, "country": "FR"}])
    db.load("items", ITEMS)
    db.load("lines", LINES)
    if views:
        db.deploy(piql.compile(text + views))
    return db


@pytest.fixture
def db() -> Iterator[piql.Database]:
    with filled(TABLES + SOLD + TOGETHER + WRITES) as db:
        yield db


def sold(db: piql.Database) -> dict[tuple[object, object], tuple[object, object]]:
    rows = db.some_rows("sold", ("subject", "item", "orders", "amount"), 99)
    return {(row[0], row[1]): (row[2], row[3]) for row in rows}


def pairs(db: piql.Database) -> dict[tuple[object, object], object]:
    rows = db.some_rows("together", ("item", "beside", "orders"), 99)
    return {(row[0], row[1]): row[2] for row in rows}


def refused(text: str) -> piql.Diagnostic:
    errors = [finding for finding in piql.compile({"a": text}).diagnostics if finding.severity == "error"]
    assert errors
    return errors[0]


def mended(text: str, error: piql.Diagnostic) -> str:
    (fix,) = error.fixes
    for edit in sorted(fix.edits, key=lambda edit: -edit.start):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def test_a_line_moves_what_is_sold_of_its_subject(db: piql.Database) -> None:
    assert sold(db)["art", 1] == (2, 2 + 6)
    db.execute("add", {"n": 7, "p": 0, "i": 1, "a": 10})
    assert sold(db)["art", 1] == (3, 18)
    db.execute("amount", {"n": 7, "p": 0, "a": 3})
    assert db.execute("best", {"subject": "art"}).rows == [{"item": 3, "amount": 12}, {"item": 1, "amount": 11}]
    db.execute("remove", {"n": 7, "p": 0})
    assert sold(db)["art", 1] == (2, 8)
    assert broken_promises(db) == []


def test_a_new_subject_moves_the_lines_that_a_limit_bounds(db: piql.Database) -> None:
    page = db.execute("subject", {"i": 1, "subject": "new"})
    bound = db.deployment.compilation.queries["subject"].bound
    assert bound is not None
    assert page.operations <= bound.operations
    assert ("art", 1) not in sold(db)
    assert sold(db)["new", 1] == (2, 8)
    db.execute("replace", {"i": 1, "subject": "art"})
    assert sold(db)["art", 1] == (2, 8)
    assert broken_promises(db) == []


def test_what_no_view_takes_of_an_item_costs_nothing(db: piql.Database) -> None:
    queries = db.deployment.compilation.queries
    title, forget = queries["title"].bound, queries["forget"].bound
    assert title is not None
    assert title.operations == 2
    assert forget is not None
    assert not any("sold" in term.reason for term in forget.terms)


def test_without_a_limit_what_lines_take_of_an_item_stays(db: piql.Database) -> None:
    text = TABLES.replace(LIMIT, "") + SOLD + WRITES
    with filled(text) as unlimited:
        bound = unlimited.deployment.compilation.queries["subject"].bound
        assert bound is not None
        assert bound.operations == 4  # the row is marked before, where there are no transactions
        before = sold(unlimited)
        for name in ("subject", "replace"):
            with pytest.raises(piql.ConstraintViolation, match=r"CARDINALITY LIMIT n \(item\) in lines lets the view"):
                unlimited.execute(name, {"i": 1, "subject": "new"})
        with pytest.raises(piql.ConstraintViolation, match="name this row"):
            unlimited.load("items", [{"id": 1, "subject": "new", "maker": 1}])
        assert sold(unlimited) == before
        unlimited.execute("title", {"i": 1, "title": "T"})
        unlimited.execute("item", {"i": 9, "subject": "old"})
        unlimited.execute("subject", {"i": 9, "subject": "new"})  # nothing names it yet
        unlimited.execute("add", {"n": 9, "p": 0, "i": 9, "a": 1})
        assert sold(unlimited)["new", 9] == (1, 1)
        assert broken_promises(unlimited) == []


def test_a_table_may_be_joined_with_itself(db: piql.Database) -> None:
    rows = pairs(db)
    assert rows[0, 1] == rows[1, 0] == 2
    db.execute("put", {"n": 0, "p": 1, "i": 3, "a": 1})
    rows = pairs(db)
    assert rows[0, 1] == rows[1, 0] == 1
    assert broken_promises(db) == []


def test_rows_that_are_there_are_counted_when_the_view_is_deployed() -> None:
    with filled(TABLES + WRITES, SOLD + TOGETHER) as later, filled(TABLES + SOLD + TOGETHER + WRITES) as before:
        assert sold(later) == sold(before)
        assert broken_promises(later) == []


def test_using_names_a_column_of_both_tables() -> None:
    tables = """CREATE TABLE a (k INT PRIMARY KEY, v INT NOT NULL);
    CREATE TABLE b (k INT, n INT, PRIMARY KEY (k, n), CARDINALITY LIMIT 5 (k));
    """
    view = "CREATE VIEW w AS SELECT a.v, COUNT(*) AS n FROM b JOIN a USING (k) GROUP BY a.v;"
    with piql.connect("embedded:") as db:
        db.deploy(piql.compile(tables + view))
        db.load("b", [{"k": at % 3, "n": at} for at in range(7)])
        db.load("a", [{"k": at, "v": 9} for at in range(2)])
        assert db.some_rows("w", ("v", "n"), 9) == [(9, 5)]


def test_a_view_of_three_tables_follows_each(db: piql.Database) -> None:
    chain = """CREATE VIEW abroad AS SELECT m.country, COUNT(*) AS lines, SUM(l.amount) AS amount
    FROM lines l JOIN items i ON i.id = l.item JOIN makers m ON m.id = i.maker WHERE l.amount > 1 GROUP BY m.country;"""
    with filled(TABLES, chain) as three:
        assert three.some_rows("abroad", ("country", "lines", "amount"), 9) == [("FR", 8, 44)]
        with pytest.raises(piql.ConstraintViolation, match=r"CARDINALITY LIMIT n \(maker\) in items"):
            three.load("makers", [{"id": 1, "country": "DE"}])
    limited = TABLES.replace("  maker   INT REFERENCES makers\n", "  maker   INT REFERENCES makers MAX 5\n")
    with filled(limited, chain) as three:
        three.load("makers", [{"id": 1, "country": "DE"}])
        assert three.some_rows("abroad", ("country", "lines", "amount"), 9) == [("DE", 8, 44)]


@pytest.mark.parametrize(
    ("view", "limits"),
    [
        (
            "SELECT a.amount, COUNT(*) AS n FROM lines a JOIN lines b ON b.number = a.number GROUP BY a.amount",
            "CARDINALITY LIMIT 100 (number) to lines",
        ),
        (
            "SELECT a.amount, COUNT(*) AS n FROM lines a JOIN items i ON i.id = a.item JOIN lines b ON b.item = i.id "
            "GROUP BY a.amount",
            "CARDINALITY LIMIT 100 (item) to lines",
        ),
        (
            "SELECT i.subject, COUNT(*) AS n FROM items i JOIN lines a ON a.number = i.id JOIN items j "
            "ON j.subject = i.subject GROUP BY i.subject",
            "CARDINALITY LIMIT 100 (number) to lines and CARDINALITY LIMIT 100 (subject) to items",
        ),
    ],
)
def test_a_view_that_a_write_could_change_without_end_names_the_limits_it_lacks(view: str, limits: str) -> None:
    tables = TABLES.replace(LIMIT, "").replace(",\n  CARDINALITY LIMIT 20 (number)", "")
    text = f"{tables}CREATE VIEW v AS {view};"
    error = refused(text)
    assert error.code == "view-form"
    assert error.fixes[0].title.removeprefix("Add ") in error.help[0]
    assert error.fixes[0].title == f"Add {limits}"
    whole = piql.compile({"a": mended(text, error)})
    assert not [finding for finding in whole.diagnostics if finding.severity == "error"]


@pytest.mark.parametrize(
    ("view", "message"),
    [
        ("l.amount, COUNT(*) AS n FROM lines l LEFT JOIN items i ON i.title = l.note GROUP BY l.amount", "primary key"),
        (
            "l.amount, COUNT(*) AS n FROM lines l LEFT JOIN items i ON i.id = l.item AND i.id = l.part "
            "GROUP BY l.amount",
            "at most one row of items",
        ),
        (
            "l.amount, COUNT(*) AS n FROM lines l LEFT JOIN items i ON i.id = l.item JOIN makers m ON m.id = i.maker "
            "GROUP BY l.amount",
            "leaves out the rows without i",
        ),
        (
            "i.subject, COUNT(*) AS n FROM lines l LEFT JOIN items i ON i.id = l.item GROUP BY i.subject",
            "subject may be NULL",
        ),
        ("l.item, COUNT(*) AS n FROM lines l NATURAL JOIN items i GROUP BY l.item", "NATURAL JOIN"),
        ("l.item, COUNT(*) AS n FROM lines l JOIN items ON items.id > l.item GROUP BY l.item", "columns are equal"),
        ("l.item, COUNT(*) AS n FROM lines l JOIN items i ON l.item = l.part GROUP BY l.item", "nothing of items"),
        ("l.item, COUNT(*) AS n FROM lines l, items i GROUP BY l.item", "nothing joins items"),
        ("l.item, COUNT(*) AS n FROM lines l JOIN items l ON l.id = l.item GROUP BY l.item", "two tables"),
        ("l.item, COUNT(*) AS n FROM lines l JOIN items i ON i.title = l.item GROUP BY l.item", "l.item is an INT"),
        ("id, COUNT(*) AS n FROM items i JOIN makers m ON m.id = i.maker GROUP BY id", "may be i.id or m.id"),
        ("i.title, COUNT(*) AS n FROM lines l JOIN items i ON i.id = l.item GROUP BY i.title", "title may be NULL"),
        ("x.item, COUNT(*) AS n FROM (SELECT item FROM lines LIMIT 3) x GROUP BY x.item", "made of tables"),
    ],
)
def test_what_cannot_be_joined_is_refused(view: str, message: str) -> None:
    assert message in refused(f"{TABLES}CREATE VIEW v AS SELECT {view};").message


def test_the_fix_for_a_group_of_null_compiles() -> None:
    text = TABLES + (
        "CREATE VIEW v AS SELECT i.title, COUNT(*) AS n FROM lines l JOIN items i ON i.id = l.item GROUP BY i.title;"
    )
    for fix in refused(text).fixes:
        whole = text
        for edit in sorted(fix.edits, key=lambda edit: -edit.start):
            whole = whole[: edit.start] + edit.text + whole[edit.end :]
        assert not [finding for finding in piql.compile({"a": whole}).diagnostics if finding.severity == "error"]


def test_a_joined_view_is_counted_again_and_repaired(db: piql.Database) -> None:
    view = db.deployment.tables["sold"]
    assert recount(db, view, step_rows=2).is_right
    writer = TableWriter(view, db.deployment, db.store)
    with db.store.transaction() as transaction:
        key = ("art", 1)
        writer.apply(transaction, Meter(), writer.read(transaction, Meter(), key), None)
    found = recount(db, view, step_rows=2)
    assert [difference.group for difference in found.differences] == [{"subject": "art", "item": 1}]
    assert repair(db, view, step_rows=2).is_right
    assert sold(db)["art", 1] == (2, 8)


def test_the_plan_of_a_write_names_the_view_and_its_bound_what_is_read(db: piql.Database) -> None:
    add = piql.compile(TABLES + SOLD + WRITES).queries["add"]
    assert add.plan is not None
    assert add.bound is not None
    assert "keeping sold" in format_plan(add.plan)
    reasons: Mapping[str, int] = {term.reason: term.value for term in add.bound.terms}
    assert reasons["the row of items that sold joins by id"] == 1
