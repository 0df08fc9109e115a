"""Writes keep the schema's promises, cost what their bound says, and leave nothing when they are refused."""

from typing import Any

import piql
import pytest

from .conftest import moment


def count(db: piql.Database, table: str) -> int:
    assert hasattr(db.store, "connection")
    count = db.store.connection().execute(f'SELECT COUNT(*) FROM "table {table}"').fetchone()
    return int(count[0])


def entries(db: piql.Database, index: str) -> list[tuple[Any, ...]]:
    """Return all that an index holds, as the store keeps it."""
    deployment = db.deployment
    stored = deployment.indexes[index]
    name = db.store.stored_name(deployment.tables[stored.table], stored)
    assert hasattr(db.store, "connection")
    return list(db.store.connection().execute(f'SELECT * FROM "{name}"'))


def index_of(db: piql.Database, table: str) -> str:
    (name,) = [name for name, index in db.deployment.indexes.items() if index.table == table]
    return name


def test_an_insert_is_read_back(db: piql.Database) -> None:
    page = db.execute("post", {"me": "a", "posted": moment(10_000), "text": "newest"})
    assert (page.rows, page.cursor) == ([], None)
    assert db.execute("myThoughts", {"me": "a"}).rows[0] == {"posted": moment(10_000), "text": "newest"}


def test_a_plain_insert_replaces_the_row_with_its_key_and_columns_not_named_become_null(db: piql.Database) -> None:
    db.run("INSERT INTO users (username) VALUES ('a')")
    assert db.execute("findUser", {"username": "a"}).rows == [{"username": "a", "hometown": None}]
    assert count(db, "users") == 8


def test_a_row_one_too_many_is_refused_by_name_limit_and_value(db: piql.Database) -> None:
    db.execute("follow", {"owner": "a", "target": "g"})
    with pytest.raises(piql.CardinalityViolation) as refusal:
        db.execute("follow", {"owner": "a", "target": "h"})
    for word in ("subscriptions", "at most 5", "owner = 'a'"):
        assert word in str(refusal.value)
    assert count(db, "subscriptions") == 33


def test_replacing_a_row_at_the_limit_is_no_row_more(db: piql.Database) -> None:
    db.execute("follow", {"owner": "a", "target": "g"})
    db.execute("follow", {"owner": "a", "target": "g"})
    db.execute("unfollow", {"owner": "a", "target": "g"})
    db.execute("follow", {"owner": "a", "target": "h"})


def test_a_reference_to_nothing_is_refused(db: piql.Database) -> None:
    with pytest.raises(piql.ForeignKeyViolation) as refusal:
        db.execute("follow", {"owner": "a", "target": "nobody"})
    assert "target = 'nobody'" in str(refusal.value)
    assert "users" in str(refusal.value)


def test_a_referenced_row_is_not_deleted(db: piql.Database) -> None:
    with pytest.raises(piql.ForeignKeyViolation, match="still referenced by") as refusal:
        db.execute("leave", {"username": "a"})
    assert refusal.value.advice == "Delete or change the rows of subscriptions with owner = 'a' first."
    db.execute("addUser", {"username": "z", "hometown": "Turku"})
    db.execute("leave", {"username": "z"})
    assert db.execute("findUser", {"username": "z"}).rows == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("INSERT INTO users (username, hometown) VALUES ([name], 'x')", "users.username"),
        ("UPDATE users SET hometown = [name] WHERE username = 'a'", "users.hometown"),
    ],
)
def test_a_text_that_is_too_long_is_refused(db: piql.Database, text: str, words: str) -> None:
    with pytest.raises(piql.ConstraintViolation) as refusal:
        db.run(text, {"name": "x" * 65})
    assert words in str(refusal.value)
    assert "65 characters" in str(refusal.value)


def test_an_update_changes_one_column_and_its_indexes_only(db: piql.Database) -> None:
    page = db.execute("move", {"town": "Turku", "username": "a"})
    assert [row["username"] for row in db.execute("usersIn", {"town": "Turku", "count": 9}).rows] == ["a"]
    assert [row["username"] for row in db.execute("usersIn", {"town": "Oslo", "count": 9}).rows] == ["b", "c", "d"]
    assert page.operations == 4  # the record, its new entry, the record put, the stale entry
    again = db.execute("move", {"town": "Turku", "username": "a"})
    assert again.operations == 1


def test_a_write_costs_no_more_than_its_bound(db: piql.Database, scadr: piql.Compilation) -> None:
    for name, parameters in (
        ("addUser", {"username": "z", "hometown": "Turku"}),
        ("follow", {"owner": "z", "target": "a"}),
        ("post", {"me": "z", "posted": moment(1), "text": "hi"}),
        ("move", {"town": "Cork", "username": "z"}),
        ("unfollow", {"owner": "z", "target": "a"}),
    ):
        bound = scadr.queries[name].bound
        assert bound is not None
        page = db.execute(name, parameters)
        assert 0 < page.operations <= bound.operations, name
        assert page.round_trips <= bound.round_trips, name


def test_changing_or_deleting_a_row_that_is_not_there_changes_nothing(db: piql.Database) -> None:
    for name, parameters in (
        ("move", {"town": "Cork", "username": "nobody"}),
        ("leave", {"username": "nobody"}),
        ("unfollow", {"owner": "x" * 50, "target": "a"}),
    ):
        assert db.execute(name, parameters).operations == (0 if "owner" in parameters else 1)
    assert count(db, "users") == 8


CONDITIONAL = """
CREATE TABLE accounts (id INT PRIMARY KEY, email VARCHAR(20) NULL UNIQUE, balance INT NOT NULL, boss INT NULL
  REFERENCES accounts);
CREATE TABLE notes (id INT PRIMARY KEY, body VARCHAR(60) NULL, CARDINALITY LIMIT 2 (TOKEN(body)));
CREATE QUERY words AS SELECT id FROM notes WHERE body LIKE [word] LIMIT 5;
"""


@pytest.fixture
def accounts() -> Any:
    with piql.connect("embedded:?synchronous=NORMAL") as db:
        db.deploy(piql.compile(CONDITIONAL))
        db.run("INSERT INTO accounts (id, email, balance) VALUES (1, 'ada@x', 10)")
        yield db


def balance(db: piql.Database) -> object:
    return db.run("SELECT balance FROM accounts WHERE id = 1").rows[0]["balance"]


def test_a_conditional_insert_refuses_a_key_that_exists(accounts: piql.Database) -> None:
    with pytest.raises(piql.DuplicateKey, match="id = 1"):
        accounts.run("INSERT INTO accounts (id, balance) VALUES (1, 99) IF NOT EXISTS")
    assert balance(accounts) == 10
    accounts.run("INSERT INTO accounts (id, balance) VALUES (2, 99) IF NOT EXISTS")


def test_a_conditional_update_holds_or_fails(accounts: piql.Database) -> None:
    accounts.run("UPDATE accounts SET balance = 11 WHERE id = 1 IF balance = 10")
    assert balance(accounts) == 11
    with pytest.raises(piql.ConditionFailed, match="balance = 10 does not hold"):
        accounts.run("UPDATE accounts SET balance = 12 WHERE id = 1 IF balance = 10")
    assert balance(accounts) == 11
    with pytest.raises(piql.ConditionFailed):
        accounts.run("UPDATE accounts SET balance = 12 WHERE id = 7 IF balance = 10")


TESTS = (
    "balance >= 10",
    "balance > 10",
    "balance <> 10",
    "balance - 10 = 0",
    "balance BETWEEN 5 AND 15 AND email IS NULL",
    "email IS NOT NULL",
    "email = 'ada@x' OR balance = 10",
    "NOT (email = 'ada@x')",
    "email <> 'bob@x'",
    "UPPER(email) = 'ADA@X' AND id = 1",
    "balance IN (9, 10, 11)",
    "id = 1 AND (email IS NULL OR balance < 3)",
)


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("key", [1, 2, 3])
def test_a_write_is_made_exactly_if_its_condition_is_true_of_the_row(
    accounts: piql.Database, test: str, key: int
) -> None:
    accounts.run("INSERT INTO accounts (id, balance) VALUES (2, 10)")
    accounts.run("INSERT INTO accounts (id, email, balance) VALUES (3, 'bob@x', 2)")
    holds = bool(accounts.run(f"SELECT id FROM accounts WHERE id = {key} AND ({test})").rows)
    for write in ("UPDATE accounts SET balance = 77 WHERE", "DELETE FROM accounts WHERE"):
        accounts.run(f"UPDATE accounts SET balance = {2 if key == 3 else 10} WHERE id = {key}")
        if holds:
            accounts.run(f"{write} id = {key} IF {test}")
        else:
            with pytest.raises(piql.ConditionFailed, match="does not hold"):
                accounts.run(f"{write} id = {key} IF {test}")
        left = [row["balance"] for row in accounts.run(f"SELECT balance FROM accounts WHERE id = {key}").rows]
        assert left == ([] if holds and write.startswith("DELETE") else [77] if holds else [2 if key == 3 else 10])


def test_a_condition_names_the_part_that_does_not_hold(accounts: piql.Database) -> None:
    with pytest.raises(piql.ConditionFailed, match=r"^accounts: email IS NULL does not hold"):
        accounts.run("DELETE FROM accounts WHERE id = 1 IF balance = [b] AND email IS NULL", {"b": 10})


def test_a_conditional_delete_of_no_row_fails(accounts: piql.Database) -> None:
    with pytest.raises(piql.ConditionFailed, match="there is no such row"):
        accounts.run("DELETE FROM accounts WHERE id = 9 IF balance = 10")


def test_a_write_reads_no_other_row_but_for_the_values_of_a_new_one(accounts: piql.Database) -> None:
    for write in (
        "UPDATE accounts SET balance = (SELECT balance FROM accounts WHERE id = 2) WHERE id = 1",
        "INSERT INTO accounts (id, balance) VALUES (7, (SELECT a.balance FROM accounts a WHERE a.id = accounts.id))",
        "DELETE FROM accounts WHERE id = 1 IF EXISTS (SELECT id FROM accounts WHERE id = 2)",
    ):
        with pytest.raises(piql.CompilationRefused) as refused:
            accounts.run(write)
        assert [diagnostic.code for diagnostic in refused.value.diagnostics] == ["subquery-place"]


def test_an_update_may_compute_from_the_row_as_it_was(accounts: piql.Database) -> None:
    accounts.run("UPDATE accounts SET balance = balance + [more] WHERE id = 1", {"more": 5})
    assert balance(accounts) == 15


def test_a_unique_value_belongs_to_one_row(accounts: piql.Database) -> None:
    with pytest.raises(piql.DuplicateKey, match="email = 'ada@x'"):
        accounts.run("INSERT INTO accounts (id, email, balance) VALUES (2, 'ada@x', 1)")
    accounts.run("INSERT INTO accounts (id, email, balance) VALUES (1, 'ada@x', 1)")
    accounts.run("INSERT INTO accounts (id, balance) VALUES (2, 1)")
    accounts.run("INSERT INTO accounts (id, balance) VALUES (3, 1)")
    with pytest.raises(piql.DuplicateKey):
        accounts.run("UPDATE accounts SET email = 'ada@x' WHERE id = 3")
    accounts.run("UPDATE accounts SET email = 'eve@x' WHERE id = 1")
    accounts.run("UPDATE accounts SET email = 'ada@x' WHERE id = 3")


def test_a_row_may_reference_itself_and_go(accounts: piql.Database) -> None:
    accounts.run("INSERT INTO accounts (id, balance, boss) VALUES (5, 1, 5)")
    with pytest.raises(piql.ForeignKeyViolation):
        accounts.run("INSERT INTO accounts (id, balance, boss) VALUES (6, 1, 7)")
    accounts.run("INSERT INTO accounts (id, balance, boss) VALUES (6, 1, 5)")
    with pytest.raises(piql.ForeignKeyViolation):
        accounts.run("DELETE FROM accounts WHERE id = 5")
    accounts.run("DELETE FROM accounts WHERE id = 6")
    accounts.run("DELETE FROM accounts WHERE id = 5")


def test_null_where_a_value_must_be_is_refused(accounts: piql.Database) -> None:
    with pytest.raises(piql.ConstraintViolation, match=r"accounts\.balance is NOT NULL"):
        accounts.load("accounts", [{"id": 9}])
    with pytest.raises(piql.ConstraintViolation, match="primary key"):
        accounts.load("accounts", [{"balance": 9}])
    with pytest.raises(piql.ConstraintViolation, match="no column 'colour'"):
        accounts.load("accounts", [{"id": 9, "balance": 1, "colour": "red"}])


def test_words_are_indexed_once_each_and_limited(accounts: piql.Database) -> None:
    accounts.run("INSERT INTO notes (id, body) VALUES (1, 'Red red ROSE')")
    accounts.run("INSERT INTO notes (id, body) VALUES (2, 'a red car')")
    assert [row["id"] for row in accounts.execute("words", {"word": "RED"}).rows] == [1, 2]
    with pytest.raises(piql.CardinalityViolation, match="the word 'red'"):
        accounts.run("INSERT INTO notes (id, body) VALUES (3, 'so Red')")
    accounts.run("UPDATE notes SET body = 'a blue car' WHERE id = 2")
    accounts.run("INSERT INTO notes (id, body) VALUES (3, 'so Red')")
    assert [row["id"] for row in accounts.execute("words", {"word": "red"}).rows] == [1, 3]
    accounts.run("DELETE FROM notes WHERE id = 1")
    accounts.run("UPDATE notes SET body = NULL WHERE id = 3")
    assert [entry[0] for entry in entries(accounts, index_of(accounts, "notes"))] == ["a", "blue", "car"]


def test_a_unique_value_that_is_referenced_cannot_change() -> None:
    source = """
    CREATE TABLE a (id INT PRIMARY KEY, code VARCHAR(8) NOT NULL UNIQUE, size INT NULL);
    CREATE TABLE b (id INT PRIMARY KEY, code VARCHAR(8) NULL REFERENCES a (code));
    CREATE QUERY put AS INSERT INTO a (id, code) VALUES ([id], [code]);
    CREATE QUERY recode AS UPDATE a SET code = [code] WHERE id = [id];
    """
    with piql.connect("embedded:") as db:
        db.deploy(piql.compile(source))
        db.load("a", [{"id": 1, "code": "x"}, {"id": 2, "code": "y"}])
        db.run("INSERT INTO b (id, code) VALUES (1, 'x')")
        for name in ("put", "recode"):
            with pytest.raises(piql.ForeignKeyViolation, match="code = 'x' is still referenced by b"):
                db.execute(name, {"id": 1, "code": "w"})
            db.execute(name, {"id": 2, "code": "z"})
            db.execute(name, {"id": 1, "code": "x"})
        with pytest.raises(piql.ForeignKeyViolation):
            db.load("a", [{"id": 1, "code": "other"}])
        assert db.run("UPDATE a SET size = 5 WHERE id = 1").operations == 2


@pytest.mark.parametrize(("parent", "child"), [("DECIMAL(12, 4)", "INT"), ("INT", "DECIMAL(12, 4)"), ("BIGINT", "INT")])
def test_a_reference_may_have_another_number_type(parent: str, child: str) -> None:
    source = f"CREATE TABLE a (id {parent} PRIMARY KEY); CREATE TABLE b (id INT PRIMARY KEY, a {child} REFERENCES a);"
    with piql.connect("embedded:") as db:
        db.deploy(piql.compile(source))
        db.load("a", [{"id": 1}, {"id": 2}])
        db.load("b", [{"id": 1, "a": 1}])
        with pytest.raises(piql.ForeignKeyViolation):
            db.load("b", [{"id": 1, "a": 3}])
        with pytest.raises(piql.ForeignKeyViolation):
            db.run("DELETE FROM a WHERE id = 1")
        db.run("DELETE FROM a WHERE id = 2")
