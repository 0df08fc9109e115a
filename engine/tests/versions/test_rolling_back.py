"""Versions side by side: a rollback keeps what was written, and what only the other version knows of."""

from __future__ import annotations

from collections.abc import Iterator

import piql
import pytest
from promises import broken_promises, unused_indexes

from .shop import ADD, BY_KIND, BY_WORD, FIRST, GET, ITEMS, PRICE, REMOVE, filled, limited, row

WIDER = ITEMS.format(more=", colour VARCHAR(10) NULL")
SECOND = (
    WIDER
    + GET
    + ADD
    + PRICE
    + REMOVE
    + "CREATE QUERY paint AS UPDATE items SET colour = [colour] WHERE id = [id];\n"
    + "CREATE QUERY byColour AS SELECT id FROM items WHERE colour = [colour] LIMIT 5;\n"
    + "CREATE TABLE shelves (id INT PRIMARY KEY, colour VARCHAR(10));\n"
    + "CREATE QUERY shelf AS SELECT id FROM shelves WHERE colour = [colour] LIMIT 5;\n"
)


@pytest.fixture
def db(url: str) -> Iterator[piql.Database]:
    with filled(url, 50) as db:
        yield db


def red(db: piql.Database) -> list[object]:
    return [row["id"] for row in db.execute("byColour", {"colour": "red"}).rows]


def test_a_rollback_and_its_undoing_keep_every_write(db: piql.Database) -> None:
    db.deploy(piql.compile(SECOND))
    for at in (3, 4, 5, 6):
        db.execute("paint", {"id": at, "colour": "red"})
    db.load("shelves", [{"id": 1, "colour": "red"}])
    assert db.rollback().version == 3
    assert set(db.deployment.compilation.queries) == {"item", "add", "reprice", "remove"}
    assert "shelves" not in db.deployment.tables
    db.execute("reprice", {"id": 3, "price": 333})
    db.execute("add", {**row(4), "price": 444})  # the whole row, as this version knows it
    db.execute("remove", {"id": 5})
    db.load("items", [{**row(6), "price": 666}, row(60)])
    assert broken_promises(db) == []
    assert db.rollback().version == 4
    assert red(db) == [3, 4, 6]
    assert db.execute("item", {"id": 4}).rows[0]["price"] == 444
    assert [row["id"] for row in db.execute("shelf", {"colour": "red"}).rows] == [1]
    assert broken_promises(db) == []
    assert unused_indexes(db) == []


def test_the_indexes_of_the_version_before_need_no_filling(db: piql.Database) -> None:
    db.deploy(piql.compile(FIRST + BY_KIND))
    db.rollback()
    db.execute("reprice", {"id": 1, "price": 1000})
    db.rollback()
    assert db.build is None
    assert db.execute("byKind", {"kind": "k1"}).rows[0] == {"id": 1, "price": 1000}


def test_a_rollback_that_the_data_do_not_allow_says_how_much_is_in_its_way(db: piql.Database) -> None:
    db.deploy(piql.compile(limited(10) + BY_KIND))
    db.deploy(piql.compile(limited(20)))
    db.load("items", [{**row(at), "kind": "k1"} for at in range(100, 105)])
    with pytest.raises(
        piql.CompilationRefused, match=r"at most 10 rows .* but 1 value breaks this: kind = 'k1' \(1[23] rows\)"
    ):
        db.rollback()
    assert db.deployment.version == 3


def test_there_is_nothing_before_the_first_version(url: str) -> None:
    with piql.connect(url) as db:
        with pytest.raises(piql.CompilationRefused, match="no version before"):
            db.rollback()
        db.deploy(piql.compile(FIRST))
        with pytest.raises(piql.CompilationRefused, match="no version before"):
            db.rollback()


def test_columns_that_come_back_keep_their_type(db: piql.Database) -> None:
    db.deploy(piql.compile(SECOND))
    db.execute("paint", {"id": 3, "colour": "dark blue"})
    db.rollback()
    with pytest.raises(piql.CompilationRefused, match=r"colour is VARCHAR\(10\) and cannot become INT"):
        db.deploy(piql.compile(ITEMS.format(more=", colour INT NULL")))
    with pytest.raises(piql.CompilationRefused, match=r"colour must be VARCHAR\(4\), but 1 row breaks this: id = 3"):
        db.deploy(piql.compile(ITEMS.format(more=", colour VARCHAR(4) NULL")))
    with pytest.raises(piql.CompilationRefused, match="colour must be NOT NULL, but 49 rows break this"):
        db.deploy(piql.compile(ITEMS.format(more=", colour VARCHAR(10) NOT NULL")), forget=["add"])
    db.deploy(piql.compile(ITEMS.format(more=", colour VARCHAR(20) NULL")))
    assert db.run("SELECT colour FROM items WHERE id = 3").rows == [{"colour": "dark blue"}]


def test_indexes_of_no_living_version_are_collected(db: piql.Database) -> None:
    db.deploy(piql.compile(FIRST + BY_KIND))
    db.deploy(piql.compile(FIRST + BY_WORD), forget=["byKind"])
    with db.store.transaction() as transaction:
        assert len(transaction.index_names()) == 2
    db.deploy(piql.compile(FIRST))
    with db.store.transaction() as transaction:
        (left,) = transaction.index_names()
        assert "items_by_token_title" in left


def test_an_index_that_becomes_not_null_is_built_beside_the_one_there_is(db: piql.Database) -> None:
    strict = FIRST.replace("kind VARCHAR(20)", "kind VARCHAR(20) NOT NULL")
    db.deploy(piql.compile(FIRST + BY_KIND))
    db.deploy(piql.compile(strict + BY_KIND))
    db.execute("reprice", {"id": 1, "price": 1000})
    with pytest.raises(piql.ConstraintViolation):
        db.load("items", [{"id": 200}])
    db.rollback()
    db.load("items", [{"id": 200}])
    assert broken_promises(db) == []
    with pytest.raises(piql.CompilationRefused, match="kind must be NOT NULL, but 1 row breaks this: id = 200"):
        db.rollback()
    db.execute("remove", {"id": 200})
    db.rollback()
    assert db.execute("byKind", {"kind": "k1"}).rows[0] == {"id": 1, "price": 1000}
    assert broken_promises(db) == []


def test_a_number_may_become_narrower_when_all_fit(db: piql.Database) -> None:
    wide = FIRST.replace("price INT", "price BIGINT")
    if db.store.topology() is not None:  # CQL's columns keep their types
        with pytest.raises(piql.CompilationRefused, match="price is INT and cannot become BIGINT; this store keeps"):
            db.deploy(piql.compile(wide))
        return
    db.deploy(piql.compile(wide))
    db.execute("reprice", {"id": 1, "price": 2**40})
    with pytest.raises(piql.CompilationRefused, match="price must be INT, but 1 row breaks this: id = 1"):
        db.rollback()
    db.execute("reprice", {"id": 1, "price": 2**20})
    db.rollback()
    with pytest.raises(piql.InvalidParameter):
        db.execute("reprice", {"id": 1, "price": 2**40})


def test_a_new_reference_is_held_against_the_rows_there_are(db: piql.Database) -> None:
    kinds = "CREATE TABLE kinds (name VARCHAR(20) PRIMARY KEY);"
    bound = FIRST.replace("kind VARCHAR(20)", "kind VARCHAR(20) NULL REFERENCES kinds")
    db.deploy(piql.compile(FIRST + kinds))
    db.load("kinds", [{"name": f"k{at}"} for at in range(6)])
    with pytest.raises(piql.CompilationRefused, match=r"but 7 rows break this: id = \d+ \(kind = 'k6'\)"):
        db.deploy(piql.compile(bound + kinds))
    db.load("kinds", [{"name": "k6"}])
    db.deploy(piql.compile(bound + kinds))
    with pytest.raises(piql.ForeignKeyViolation):
        db.run("DELETE FROM kinds WHERE name = 'k6'")
    assert broken_promises(db) == []


LISTED = "CREATE QUERY listed AS SELECT id FROM items WHERE kind = [kind];\n"
UNIQUE = FIRST.replace("title VARCHAR(60)", "title VARCHAR(60) UNIQUE")
TITLED = "CREATE QUERY titled AS SELECT id FROM items WHERE title = [title]{limit};\n"


def test_a_reader_that_has_not_looked_yet_misses_no_row_of_a_raised_limit(file_url: str) -> None:
    with piql.connect(file_url) as db, piql.connect(file_url) as late:
        db.deploy(piql.compile(limited(2) + LISTED))
        db.load("items", [{**row(at), "kind": "tea"} for at in range(2)])
        assert len(late.execute("listed", {"kind": "tea"}).rows) == 2
        late._look_at = float("inf")
        db.deploy(piql.compile(limited(5) + LISTED))
        db.load("items", [{**row(at), "kind": "tea"} for at in range(2, 5)])
        assert len(late.execute("listed", {"kind": "tea"}).rows) == 5


def test_a_reader_that_has_not_looked_yet_misses_no_row_of_a_key_that_is_unique_no_more(file_url: str) -> None:
    with piql.connect(file_url) as db, piql.connect(file_url) as late:
        db.deploy(piql.compile(UNIQUE + TITLED.format(limit="")))
        db.load("items", [row(1)])
        assert late.execute("titled", {"title": row(1)["title"]}).rows == [{"id": 1}]
        late._look_at = float("inf")
        db.deploy(piql.compile(FIRST + TITLED.format(limit=" LIMIT 5")))
        db.load("items", [{**row(1), "id": 2}])
        assert len(late.execute("titled", {"title": row(1)["title"]}).rows) == 2
