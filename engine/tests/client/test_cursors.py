"""Pages: every row exactly once, at the price of the first page, with cursors that nobody can make."""

import base64
from datetime import timedelta
from typing import Any, get_args

import piql
import pytest
from piql.client.database import Strategy

from .conftest import NAMES, START, moment

STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)


def walk(
    db: piql.Database, name: str, parameters: dict[str, Any], size: int, strategy: Strategy = "parallel"
) -> list[dict[str, Any]]:
    """Return the rows of all pages; each page costs no more than the first."""
    rows: list[dict[str, Any]] = []
    cursor, first = None, None
    for _ in range(200):
        page = db.execute(name, parameters, cursor=cursor, strategy=strategy)
        first = first or page
        assert page.operations <= first.operations
        assert (page.cursor is None) == (len(page.rows) < size)
        rows += page.rows
        cursor = page.cursor
        if cursor is None:
            return rows
    raise AssertionError("the pages do not end")


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_pages_of_a_scan_give_every_row_once(db: piql.Database, strategy: Strategy) -> None:
    rows = walk(db, "myThoughts", {"me": "a"}, 3, strategy)
    assert [row["text"] for row in rows] == [f"a{number}" for number in range(9, -1, -1)]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_pages_of_a_merge_give_every_row_once(db: piql.Database, strategy: Strategy) -> None:
    rows = walk(db, "stream", {"me": "a"}, 4, strategy)
    assert [row["posted"] for row in rows] == sorted((row["posted"] for row in rows), reverse=True)
    assert sorted(row["text"] for row in rows) == sorted(f"{name}{number}" for name in "bcd" for number in range(10))


def test_rows_posted_at_the_same_time_are_neither_lost_nor_doubled(empty: piql.Database) -> None:
    empty.load("users", [{"username": name} for name in NAMES])
    empty.load("subscriptions", [{"owner": "a", "target": name, "approved": True} for name in "bcdef"])
    empty.load(
        "thoughts",
        [
            {"owner": name, "posted": moment(number // 2), "text": f"{name}{number}"}
            for name in "bcdef"
            for number in range(0, 12, 2)
        ],
    )
    rows = walk(empty, "stream", {"me": "a"}, 4)
    assert len({row["text"] for row in rows}) == len(rows) == 30
    assert rows == sorted(rows, key=lambda row: (row["posted"], row["owner"]), reverse=True)


def test_inserts_elsewhere_do_not_move_a_walk(db: piql.Database) -> None:
    texts: list[str] = []
    cursor = None
    for number in range(100):
        page = db.execute("stream", {"me": "a"}, cursor=cursor)
        texts += [row["text"] for row in page.rows]
        cursor = page.cursor
        newer = START + timedelta(days=1, minutes=number)
        db.execute("post", {"me": "b", "posted": newer, "text": f"new{number}"})
        db.execute("post", {"me": "h", "posted": newer, "text": "of somebody else"})
        if cursor is None:
            break
    assert sorted(texts) == sorted(f"{name}{number}" for name in "bcd" for number in range(10))


def test_a_last_page_that_is_full_is_followed_by_an_empty_one(empty: piql.Database) -> None:
    empty.load("users", [{"username": "a"}])
    empty.load("thoughts", [{"owner": "a", "posted": moment(number)} for number in range(6)])
    sizes, cursor = [], None
    while True:
        page = empty.execute("myThoughts", {"me": "a"}, cursor=cursor)
        sizes.append(len(page.rows))
        cursor = page.cursor
        if cursor is None:
            break
    assert sizes == [3, 3, 0]


def test_a_damaged_cursor_is_refused(db: piql.Database) -> None:
    cursor = db.execute("myThoughts", {"me": "a"}).cursor
    assert cursor is not None
    for at in range(0, len(cursor), 5):
        replacement = "A" if cursor[at] != "A" else "B"
        with pytest.raises(piql.InvalidCursor):
            db.execute("myThoughts", {"me": "a"}, cursor=cursor[:at] + replacement + cursor[at + 1 :])
    for wrong in ("", "x", "é", cursor + "A", cursor[:-1], base64.b64encode(b"x" * 60).decode()):
        with pytest.raises(piql.InvalidCursor):
            db.execute("myThoughts", {"me": "a"}, cursor=wrong)


def test_a_cursor_is_for_its_own_query_only(db: piql.Database) -> None:
    cursor = db.execute("myThoughts", {"me": "a"}).cursor
    with pytest.raises(piql.InvalidCursor, match="belongs to myThoughts"):
        db.execute("stream", {"me": "a"}, cursor=cursor)
    with pytest.raises(piql.InvalidCursor, match="no pages"):
        db.execute("findUser", {"username": "a"}, cursor=cursor)
    with pytest.raises(piql.InvalidCursor, match="no pages"):
        db.execute("leave", {"username": "a"}, cursor=cursor)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_cursor_goes_on_with_the_parameters_of_its_page_alone(db: piql.Database, strategy: Strategy) -> None:
    for name in ("myThoughts", "stream"):
        first = db.execute(name, {"me": "a"}, strategy=strategy)
        assert first.cursor is not None
        rows = db.execute(name, {"me": "a"}, cursor=first.cursor, strategy=strategy).rows
        assert rows
        assert not [row for row in rows if row in first.rows]
        for wrong in ("b", "", None):
            with pytest.raises(piql.InvalidCursor, match="other parameters: give those of the page before"):
                db.execute(name, {"me": wrong}, cursor=first.cursor, strategy=strategy)


def test_a_cursor_of_a_statement_and_of_a_session_are_bound_to_parameters_too(db: piql.Database) -> None:
    text = "SELECT text FROM thoughts WHERE owner = [me] ORDER BY posted PAGINATE 3"
    session = db.session()
    for run in (db.run, session.run):
        cursor = run(text, {"me": "a"}).cursor
        assert run(text, {"me": "a"}, cursor).rows
        with pytest.raises(piql.InvalidCursor, match="other parameters"):
            run(text, {"me": "b"}, cursor)


def test_parameters_that_are_equal_in_other_forms_go_on(empty: piql.Database) -> None:
    empty.load("users", [{"username": name} for name in NAMES])
    empty.load("thoughts", [{"owner": "a", "posted": moment(number)} for number in range(6)])
    since = "SELECT owner, posted FROM thoughts WHERE owner = [me] AND posted >= [since] ORDER BY posted PAGINATE 2"
    cursor = empty.run(since, {"me": "a", "since": START}).cursor
    assert len(empty.run(since, {"since": START.isoformat(), "me": "a"}, cursor).rows) == 2
    some = "SELECT owner, posted FROM thoughts WHERE owner IN [names] MAX 3 ORDER BY posted PAGINATE 2"
    cursor = empty.run(some, {"names": ["a", "b", "c"]}).cursor
    assert len(empty.run(some, {"names": ("c", "a", "b", "a")[:3]}, cursor).rows) == 2
    with pytest.raises(piql.InvalidCursor, match="other parameters"):
        empty.run(some, {"names": ["a", "b"]}, cursor)


def test_a_cursor_of_a_replaced_query_is_stale_and_of_one_deployed_again_is_not(db: piql.Database) -> None:
    cursor = db.execute("myThoughts", {"me": "a"}).cursor
    text = db.deployment.texts[""]
    db.deploy(piql.compile(text))
    assert db.execute("myThoughts", {"me": "a"}, cursor=cursor).rows[0]["text"] == "a6"
    db.deploy(piql.compile(text.replace("posted DESC PAGINATE 3", "posted DESC PAGINATE 5")))
    with pytest.raises(piql.StaleCursor, match="deployment 1"):
        db.execute("myThoughts", {"me": "a"}, cursor=cursor)


def test_a_cursor_of_another_store_is_refused(db: piql.Database, scadr: piql.Compilation) -> None:
    cursor = db.execute("myThoughts", {"me": "a"}).cursor
    with piql.connect("embedded:") as second:
        second.deploy(scadr)
        with pytest.raises(piql.InvalidCursor):
            second.execute("myThoughts", {"me": "a"}, cursor=cursor)


MIXED = """
CREATE TABLE games (
  level INT, score INT NULL, played TIMESTAMP NULL, id INT, PRIMARY KEY (id));
CREATE QUERY upDown AS
SELECT score, played, id FROM games WHERE level = [level] ORDER BY score DESC, played PAGINATE 4;
CREATE QUERY downUp AS
SELECT score, played, id FROM games WHERE level = [level] ORDER BY score, played DESC PAGINATE 4;
CREATE QUERY above AS
SELECT score, id FROM games WHERE level = [level] AND score > [low] AND score <= [high] ORDER BY score PAGINATE 4;
CREATE QUERY levels AS
SELECT level, score, id FROM games WHERE level IN [levels] MAX 3 ORDER BY score DESC PAGINATE 4;
"""


@pytest.fixture(scope="module")
def games() -> Any:
    with piql.connect("embedded:?synchronous=NORMAL") as db:
        db.deploy(piql.compile(MIXED))
        db.load(
            "games",
            [
                {
                    "id": number,
                    "level": number % 3,
                    "score": None if number % 7 == 0 else number % 5,
                    "played": None if number % 4 == 0 else moment(number % 6),
                }
                for number in range(60)
            ],
        )
        yield db


def _key(value: Any) -> tuple[bool, Any]:
    return (value is not None, value)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(("name", "directions"), [("upDown", (True, False)), ("downUp", (False, True))])
def test_pages_in_mixed_directions_with_null_give_every_row_once(
    games: piql.Database, name: str, directions: tuple[bool, bool], strategy: Strategy
) -> None:
    rows = walk(games, name, {"level": 1}, 4, strategy)
    assert sorted(row["id"] for row in rows) == list(range(1, 60, 3))
    expected = sorted(rows, key=lambda row: row["id"])
    for column, reverse in (("played", directions[1]), ("score", directions[0])):
        expected.sort(key=lambda row, column=column: _key(row[column]), reverse=reverse)  # type: ignore[misc]
    assert [(row["score"], row["played"]) for row in rows] == [(row["score"], row["played"]) for row in expected]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_pages_of_a_range_stay_inside_it(games: piql.Database, strategy: Strategy) -> None:
    rows = walk(games, "above", {"level": 2, "low": 0, "high": 3}, 4, strategy)
    ids = [n for n in range(2, 60, 3) if n % 7 and 0 < n % 5 <= 3]
    assert sorted(row["id"] for row in rows) == ids
    assert [row["score"] for row in rows] == sorted(row["score"] for row in rows)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_pages_over_a_list_of_values_are_merged(games: piql.Database, strategy: Strategy) -> None:
    rows = walk(games, "levels", {"levels": [0, 2]}, 4, strategy)
    assert sorted(row["id"] for row in rows) == sorted(n for n in range(60) if n % 3 != 1)
    assert [_key(row["score"]) for row in rows] == sorted((_key(row["score"]) for row in rows), reverse=True)


def test_a_cursor_of_another_range_is_refused(games: piql.Database) -> None:
    cursor = games.execute("above", {"level": 2, "low": 0, "high": 4}).cursor
    for low, high in ((3, 4), (-5, -1), (0, 5)):
        with pytest.raises(piql.InvalidCursor, match="other parameters"):
            games.execute("above", {"level": 2, "low": low, "high": high}, cursor=cursor)


STATEMENT = "SELECT posted, text FROM thoughts WHERE owner = [me] ORDER BY posted DESC PAGINATE 4"


def test_a_bare_statement_has_pages_too(db: piql.Database) -> None:
    texts, cursor = [], None
    while True:
        page = db.run(STATEMENT, {"me": "a"}, cursor)
        texts += [row["text"] for row in page.rows]
        cursor = page.cursor
        if cursor is None:
            break
    assert texts == [f"a{number}" for number in range(9, -1, -1)]


def test_a_cursor_of_a_statement_is_for_that_statement_only(db: piql.Database) -> None:
    cursor = db.run(STATEMENT, {"me": "a"}).cursor
    with pytest.raises(piql.StaleCursor, match="another statement"):
        db.run(STATEMENT.replace("4", "5"), {"me": "a"}, cursor)
    with pytest.raises(piql.InvalidCursor, match="belongs to a statement, not to stream"):
        db.execute("stream", {"me": "a"}, cursor)
    of_query = db.execute("stream", {"me": "a"}).cursor
    with pytest.raises(piql.InvalidCursor, match="belongs to stream, not to a statement"):
        db.run(STATEMENT, {"me": "a"}, of_query)
    for text in ("SELECT text FROM thoughts WHERE owner = 'a' LIMIT 1", "DELETE FROM users WHERE username = 'z'"):
        with pytest.raises(piql.InvalidCursor, match="the statement"):
            db.run(text, cursor=cursor)
