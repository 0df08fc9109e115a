"""What queries cost in a bucket: never less than the requests that they make there, and only where it is asked for."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import piql
import pytest
from object_store.fixture import bucket_url, object_store
from piql.commands.check import check
from piql.commands.prices import PRICES, most_gets, price_of
from piql.store.s3.store import S3Store

__all__ = ["bucket_url", "object_store"]

SCHEMA = """
CREATE TABLE users (name VARCHAR(20), town VARCHAR(20), PRIMARY KEY (name));
CREATE TABLE follows (owner VARCHAR(20), target VARCHAR(20), PRIMARY KEY (owner, target),
  FOREIGN KEY (target) REFERENCES users, CARDINALITY LIMIT 30 (owner));
CREATE QUERY find AS SELECT town FROM users WHERE name = [1: name];
CREATE QUERY followed AS SELECT u.name, u.town FROM follows f JOIN users u ON u.name = f.target
  WHERE f.owner = [1: name];
CREATE QUERY newest AS SELECT target FROM follows WHERE owner = [1: name] ORDER BY target DESC LIMIT 7;
CREATE QUERY in_town AS SELECT name FROM users WHERE town = [1: town] ORDER BY name PAGINATE 5;
CREATE QUERY add AS INSERT INTO users VALUES ([1: name], [2: town]);
"""
PARAMETERS = {"find": {"name": "u7"}, "followed": {"name": "u1"}, "newest": {"name": "u1"}, "in_town": {"town": "t1"}}


def test_a_query_makes_no_more_requests_than_its_price_is_for(bucket_url: Callable[..., str]) -> None:
    with piql.connect(bucket_url("page_bytes=100")) as db:
        db.deploy(piql.compile({"schema.piql": SCHEMA}))
        db.load("users", [{"name": f"u{n}", "town": f"t{n % 2}"} for n in range(60)])
        db.load("follows", [{"owner": "u1", "target": f"u{n}"} for n in range(30)])
        store = db.store
        assert isinstance(store, S3Store)
        levels = store.levels()
        assert levels > 2
        for name, parameters in PARAMETERS.items():
            bound = db.deployment.compilation.queries[name].bound
            assert bound is not None
            store.flush()
            for most in (most_gets(bound, levels), bound.round_trips + 1):  # now with no page kept, then with all
                before = store.requests()
                assert db.execute(name, parameters).rows
                made = store.requests()
                assert 0 < made.gets - before.gets <= most
                assert made[1:] == before[1:]


def test_prices_are_shown_where_they_are_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "schema.piql"
    file.write_text(SCHEMA)
    assert check([str(file)]) == 0
    assert "$" not in capsys.readouterr().out
    assert check([str(file), "--price", "amazon", "--levels", "3"]) == 0
    printed = capsys.readouterr().out
    assert "$ for 1,000 executions: Amazon S3 Standard, US East (N. Virginia), June 2026; trees of 3 levels" in printed
    assert "find      0.0008      0.0036\n" in printed
    assert "add       -           -" in printed
    assert check([str(file), "--price", "amazon-2007", "--output", "json"]) == 0
    queries = {query["name"]: query for query in json.loads(capsys.readouterr().out)["queries"]}
    assert queries["find"]["price"]["most"] == 0.007
    assert queries["add"]["price"] is None


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [(["--levels", "3"], "--levels needs --price"), (["--price", "amazon", "--levels", "0"], "from 1 to 9")],
)
def test_wrong_levels_are_refused(arguments: list[str], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        check(["-", *arguments])
    assert reason in capsys.readouterr().err


def test_a_refused_query_has_no_price() -> None:
    compilation = piql.compile(
        {"a.piql": "CREATE TABLE t (a INT, PRIMARY KEY (a)); CREATE QUERY q AS SELECT a FROM t;"}
    )
    assert price_of(compilation.queries["q"], PRICES["amazon"], 2) is None
