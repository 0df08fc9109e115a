"""Whatever is given as any argument of any public function or method, nothing but a PiqlError comes back."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import piql
import pytest

TEXT = """
CREATE TABLE notes (id INT PRIMARY KEY, text VARCHAR(9));
CREATE TABLE friends (owner INT, friend INT, PRIMARY KEY (owner, friend), CARDINALITY LIMIT 3 (owner));
CREATE QUERY note AS SELECT id, text FROM notes WHERE id = [1: id];
CREATE QUERY write AS INSERT INTO notes (id, text) VALUES ([1: id], [2: text]);
CREATE QUERY friendsOf AS SELECT friend FROM friends WHERE owner = [1: owner] ORDER BY friend PAGINATE 2;
"""
SET = piql.compile(TEXT)
ANYTHING = (
    *(None, True, 0, -1, 3, 10**30, 2.5, float("nan"), float("inf"), b"", b"x", "", "nonsense", "\ud800", "\0"),
    *([], ["x"], [[]], ("a",), {}, {1: 2}, {"a": object()}, {"x"}, object(), print),
)
STORES = ("embedded:", "stepwise:")

RIGHT: dict[str, dict[str, Any]] = {
    "deploy": {"compilation": SET},
    "rollback": {},
    "load": {"table": "notes", "rows": [{"id": 1}]},
    "sweep": {},
    "execute": {"name": "friendsOf", "parameters": {"owner": 1}},
    "run": {"text": "SELECT friend FROM friends WHERE owner = [1: owner] PAGINATE 2", "parameters": {"owner": 1}},
    "headroom": {"table": "friends", "group": {"owner": 1}},
    "some_rows": {"table": "notes", "columns": ["id"], "most": 3},
    "session": {},
    "drawn": {"name": "friendsOf"},
    "try_out": {"compilation": SET, "share": 0.5},
    "observed_by": {"observer": print},
}
"""Arguments with which each method of a database or a session does something; a new method needs a line here."""


def arguments_of(kind: type) -> list[tuple[str, str]]:
    pairs = []
    for method, function in inspect.getmembers(kind, inspect.isfunction):
        if not method.startswith("_"):
            for argument in list(inspect.signature(function).parameters)[1:]:
                pairs.append((method, argument))
    return pairs


def refused_by(call: Callable[..., object], right: Mapping[str, Any], argument: str) -> dict[str, str]:
    """The errors, by what was given, that are none of PIQL's."""
    strange = {}
    for given in ANYTHING:
        try:
            call(**{**right, argument: given})
        except piql.PiqlError:
            continue
        except Exception as error:
            strange[repr(given)] = f"{type(error).__name__}: {error}"
    return strange


@pytest.fixture(params=STORES)
def db(request: pytest.FixtureRequest) -> Iterator[piql.Database]:
    with piql.connect(request.param) as opened:
        opened.deploy(SET)
        yield opened


@pytest.mark.parametrize(("method", "argument"), arguments_of(piql.Database))
def test_a_database_refuses_it_in_words_of_piql(db: piql.Database, method: str, argument: str) -> None:
    assert refused_by(getattr(db, method), RIGHT[method], argument) == {}


@pytest.mark.parametrize("argument", ["compilation", "forget", "rows_per_second"])
def test_so_does_a_deployment_in_the_background(db: piql.Database, argument: str) -> None:
    def deploy(**given: Any) -> None:
        db.deploy(**given, background=True).wait()

    assert refused_by(deploy, RIGHT["deploy"], argument) == {}


@pytest.mark.parametrize(("method", "argument"), arguments_of(piql.Session))
def test_so_does_a_session(db: piql.Database, method: str, argument: str) -> None:
    assert refused_by(getattr(db.session(), method), RIGHT[method], argument) == {}


@pytest.mark.parametrize("argument", list(inspect.signature(piql.connect).parameters))
@pytest.mark.parametrize("store", STORES)
def test_so_does_connecting_or_what_is_done_next(
    store: str, argument: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def connect(**given: Any) -> None:
        with piql.connect(**given) as opened:
            opened.deploy(SET)
            opened.execute("friendsOf", {"owner": 1})

    assert refused_by(connect, {"url": store}, argument) == {}


def test_so_does_compiling() -> None:
    assert refused_by(piql.compile, {}, "source") == {}


@pytest.mark.parametrize(("argument", "method"), [("forget", "deploy"), ("columns", "some_rows")])
def test_a_lone_text_is_no_list_of_names(db: piql.Database, argument: str, method: str) -> None:
    with pytest.raises(piql.InvalidParameter, match=f"^{argument} is a str: give a list of names$"):
        getattr(db, method)(**{**RIGHT[method], argument: "note"})
