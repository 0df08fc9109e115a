"""Deploying: by name, without losing data; what does not fit is refused before anything is changed."""

from pathlib import Path

import piql
import pytest

from .conftest import NAMES, QUERIES, SCHEMA, fill
from .test_writing import count


def test_errors_are_refused_with_their_findings() -> None:
    with piql.connect("embedded:") as db:
        broken = piql.compile("CREATE TABLE t (a INT PRIMARY KEY); CREATE QUERY q AS SELECT a FROM t;")
        with pytest.raises(piql.CompilationRefused) as refusal:
            db.deploy(broken)
        assert refusal.value.diagnostics == broken.diagnostics
        assert db.deployment.version == 0
        with pytest.raises(piql.NotDeployed):
            db.execute("q")


def test_another_connection_executes_what_is_deployed(tmp_path: Path, scadr: piql.Compilation) -> None:
    url = f"embedded:{tmp_path / 'a.db'}"
    with piql.connect(url) as db:
        db.deploy(scadr)
        fill(db)
        cursor = db.execute("myThoughts", {"me": "a"}).cursor
    with piql.connect(url) as db:
        assert db.execute("findUser", {"username": "a"}).rows == [{"username": "a", "hometown": "Oslo"}]
        assert db.execute("myThoughts", {"me": "a"}, cursor=cursor).rows[0]["text"] == "a6"
        assert db.deployment.version == 1
        assert db.deployment.texts == {"": SCHEMA + QUERIES}
        assert db.deployment.deployed_at is not None


def test_a_deployment_of_somebody_else_is_noticed(tmp_path: Path, scadr: piql.Compilation) -> None:
    url = f"embedded:{tmp_path / 'a.db'}"
    with piql.connect(url) as one, piql.connect(url) as second:
        one.deploy(scadr)
        assert second.execute("findUser", {"username": "a"}).rows == []
        fill(second)
        one.deploy(
            piql.compile("CREATE QUERY owners AS SELECT owner FROM thoughts WHERE text = [text] LIMIT 3;" + SCHEMA)
        )
        second.execute("post", {"me": "b", "posted": "2027-01-01T00:00:00Z", "text": "a0"})
        assert one.execute("owners", {"text": "a0"}).rows == [{"owner": "a"}, {"owner": "b"}]
        assert second.execute("owners", {"text": "a0"}).rows == [{"owner": "a"}, {"owner": "b"}]


HOME_IS_SET = "CREATE QUERY home AS UPDATE users SET hometown = 'Oslo' WHERE username = [name];"
HOME_IS_READ = "CREATE QUERY home AS SELECT hometown FROM users WHERE username = [name];"
HOME_IS_LEFT = "CREATE QUERY home AS DELETE FROM users WHERE username = [name];"
STORES = ["embedded:{}", "stepwise:{}"]


@pytest.mark.parametrize("store", STORES)
def test_a_write_that_somebody_has_made_a_read_is_a_read_at_once(tmp_path: Path, store: str) -> None:
    url = store.format(tmp_path / "a.db")
    with piql.connect(url) as one, piql.connect(url) as second:
        one.deploy(piql.compile(SCHEMA + HOME_IS_SET))
        one.load("users", [{"username": "a", "hometown": "Bergen"}])
        second.execute("home", {"name": "a"})
        one.deploy(piql.compile(SCHEMA + HOME_IS_READ))
        assert one.execute("home", {"name": "a"}).rows == [{"hometown": "Oslo"}]
        page = second.execute("home", {"name": "a"})
        assert page.rows in ([{"hometown": "Oslo"}], [])  # without transactions the write may still be made
        one.deploy(piql.compile(SCHEMA + HOME_IS_LEFT))
        assert one.execute("home", {"name": "a"}).rows_affected == 1


@pytest.mark.parametrize("store", STORES)
def test_a_query_of_a_version_runs_only_while_that_version_is_in_force(tmp_path: Path, store: str) -> None:
    url = store.format(tmp_path / "a.db")
    with piql.connect(url) as one, piql.connect(url) as second:
        one.deploy(piql.compile(SCHEMA + HOME_IS_SET))
        one.load("users", [{"username": "a", "hometown": "Bergen"}])
        assert second.execute("home", {"name": "a"}, version=1).rows_affected == 1
        with pytest.raises(piql.DeployedMeanwhile, match="version 1 is deployed, and home was asked for of version 2"):
            second.execute("home", {"name": "a"}, version=2)
        one.deploy(piql.compile(SCHEMA + HOME_IS_READ))
        assert second.execute("home", {"name": "a"}, version=2).rows == [{"hometown": "Oslo"}]
        one.deploy(piql.compile(SCHEMA + HOME_IS_LEFT))
        with pytest.raises(piql.DeployedMeanwhile, match="version 3 is deployed"):
            one.execute("home", {"name": "a"}, version=1)
        with pytest.raises(piql.DeployedMeanwhile, match="version 3 is deployed"):
            one.session().execute("home", {"name": "a"}, version=1)
        assert one.some_rows("users", ["username"], 9) == [("a",)]
        assert second.execute("home", {"name": "a"}, version=3).rows_affected == 1


def test_a_second_set_adds_and_replaces_by_name(db: piql.Database) -> None:
    db.deploy(
        piql.compile(
            SCHEMA
            + "CREATE QUERY findUser AS SELECT hometown FROM users WHERE username = [name];"
            + "CREATE TABLE notes (id INT PRIMARY KEY); CREATE QUERY note AS SELECT id FROM notes WHERE id = [id];"
        )
    )
    assert db.execute("findUser", {"name": "a"}).rows == [{"hometown": "Oslo"}]
    assert db.execute("myThoughts", {"me": "a"}).rows
    assert db.execute("note", {"id": 1}).rows == []
    db.deploy(piql.compile("CREATE TABLE more (id INT PRIMARY KEY);"))
    assert db.execute("findUser", {"name": "a"}).rows == [{"hometown": "Oslo"}]
    assert db.deployment.version == 3
    assert set(db.deployment.tables) == {"users", "subscriptions", "thoughts", "notes", "more"}


def test_queries_can_be_forgotten(db: piql.Database) -> None:
    db.deploy(piql.compile(SCHEMA), forget=["findUser"])
    with pytest.raises(piql.NotDeployed):
        db.execute("findUser", {"username": "a"})
    assert db.execute("usersIn", {"town": "Oslo", "count": 1}).rows


def test_a_new_index_is_filled_from_the_rows_there_are(db: piql.Database) -> None:
    db.deploy(piql.compile(SCHEMA + "CREATE QUERY byText AS SELECT owner FROM thoughts WHERE text = [text] LIMIT 3;"))
    assert db.execute("byText", {"text": "c4"}).rows == [{"owner": "c"}]


def test_an_index_that_must_hold_more_is_made_again(db: piql.Database) -> None:
    wider = "CREATE TABLE extra (id INT PRIMARY KEY, town VARCHAR(9), size INT, name VARCHAR(9));"
    db.deploy(piql.compile(wider + "CREATE QUERY a AS SELECT id FROM extra WHERE town = [t] LIMIT 5;"))
    db.load("extra", [{"id": n, "town": "x", "size": n * 2, "name": f"n{n}"} for n in range(3)])
    db.deploy(piql.compile(wider + "CREATE QUERY b AS SELECT size, name FROM extra WHERE town = [t] LIMIT 5;"))
    assert [row["size"] for row in db.execute("b", {"t": "x"}).rows] == [0, 2, 4]
    assert [row["id"] for row in db.execute("a", {"t": "x"}).rows] == [0, 1, 2]


def test_a_column_is_added_and_is_null_in_the_rows_there_were(db: piql.Database) -> None:
    text = SCHEMA.replace("hometown VARCHAR(64)", "age INT NULL, hometown VARCHAR(64)")
    db.deploy(piql.compile(text + "CREATE QUERY age AS SELECT age, hometown FROM users WHERE username = [name];"))
    assert db.execute("age", {"name": "a"}).rows == [{"age": None, "hometown": "Oslo"}]
    db.run("UPDATE users SET age = 36 WHERE username = 'a'")
    assert db.execute("age", {"name": "a"}).rows == [{"age": 36, "hometown": "Oslo"}]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("username VARCHAR(32) PRIMARY KEY, hometown", "username VARCHAR(32), hometown", "primary key"),
        (", hometown VARCHAR(64)", "", "hometown would be dropped"),
        ("hometown VARCHAR(64)", "hometown INT", "hometown is VARCHAR(64) and cannot become INT"),
        ("hometown VARCHAR(64)", "hometown VARCHAR(4)", "users.hometown must be VARCHAR(4), but 4 rows break this"),
        ("hometown VARCHAR(64)", "hometown VARCHAR(6)", None),
        (
            "hometown VARCHAR(64)",
            "hometown VARCHAR(64), age INT NOT NULL",
            "age must be NOT NULL, but 8 rows break this",
        ),
        ("text VARCHAR(140)", "text VARCHAR(140) UNIQUE", None),
        ("hometown VARCHAR(64)", "hometown VARCHAR(64) UNIQUE", "hometown = 'Oslo' (4 rows)"),
        (
            "LIMIT 5 (owner)",
            "LIMIT 3 (owner)",
            "at most 3 rows may share one owner, but 8 values break this: owner = 'a' (4 rows)",
        ),
        (
            "hometown VARCHAR(64)",
            "hometown VARCHAR(64) NULL REFERENCES towns",
            "hometown must name a row of towns (name), but 8 rows break this: username = 'a' (hometown = 'Oslo')",
        ),
    ],
)
def test_what_does_not_fit_the_data_is_refused_and_changes_nothing(
    db: piql.Database, old: str, new: str, words: str | None
) -> None:
    text = SCHEMA.replace(old, new)
    if "PRIMARY KEY" in old:
        text = text.replace("hometown VARCHAR(64)", "hometown VARCHAR(64), PRIMARY KEY (username, hometown)", 1)
        text = text.replace("REFERENCES users", "")
    if "towns" in new:
        text += "CREATE TABLE towns (name VARCHAR(64) PRIMARY KEY);"
    forget = list(db.deployment.compilation.queries)
    compilation = piql.compile(text)
    assert not compilation.has_errors, compilation.diagnostics
    if words is None:
        db.deploy(compilation, forget)
        return
    with pytest.raises(piql.CompilationRefused) as refusal:
        db.deploy(compilation, forget)
    assert words in str(refusal.value)
    assert db.deployment.version == 1
    assert db.execute("findUser", {"username": "a"}).rows == [{"username": "a", "hometown": "Oslo"}]
    assert count(db, "users") == len(NAMES)


def test_a_query_that_would_break_is_named(db: piql.Database) -> None:
    with pytest.raises(piql.CompilationRefused, match="thoughtstream"):
        db.deploy(piql.compile(SCHEMA.replace(", CARDINALITY LIMIT 5 (owner)", "")))
