"""What queries cost in a bucket: never less than the requests that they make there, and only where it is asked for."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import piql
import pytest
from object_store.fixture import bucket_url, object_store
from piql.commands.check import check
from piql.commands.plan import plan
from piql.commands.pricing import dollars
from piql.pricing.prices import most_gets, price_of
from piql.pricing.sheets import SHEETS, RequestSheet
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
    assert price_of(compilation.queries["q"].bound, SHEETS["amazon"], 2) is None


REQUESTS = {"of": "Somebody", "date": "May 2026", "read": 0.25, "write": 1.25}
NODES = {"of": "Our cluster", "date": "May 2026", "node_month": 262.98, "requests_a_second": 1000}


def sheet(tmp_path: Path, value: object) -> str:
    file = tmp_path / "prices.json"
    file.write_text(json.dumps(value))
    return str(file)


def priced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], value: object, *more: str
) -> dict[str, dict[str, float]]:
    file = tmp_path / "schema.piql"
    file.write_text(SCHEMA)
    assert check([str(file), "--price", sheet(tmp_path, value), "--output", "json", *more]) == 0
    return {query["name"]: query["price"] for query in json.loads(capsys.readouterr().out)["queries"]}


def test_each_request_of_a_bound_has_the_price_of_its_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prices = priced(tmp_path, capsys, REQUESTS)
    bound = piql.compile({"a.piql": SCHEMA}).queries["add"].bound
    assert bound is not None
    assert prices["followed"] == {"most": 31 * 0.25e-3, "of": "Somebody", "date": "May 2026"}
    reads, writes = bound.reads + bound.counts, bound.puts + bound.deletes
    assert reads + writes == bound.operations
    assert prices["add"]["most"] == pytest.approx(reads * 0.25e-3 + writes * 1.25e-3)


def test_an_upsert_has_the_price_of_its_dearer_way_though_the_other_makes_more_requests() -> None:
    unique = ", ".join(f"a{n} INT UNIQUE" for n in range(3))
    columns = ", ".join(f"b{n} INT" for n in range(5))
    insert = "INSERT INTO t (id, a0, a1, a2) VALUES ([1: id], 1, 2, 3)"
    more = "INSERT INTO t (id, a0, a1, a2) VALUES ([1: id], 1, 2, 3), ([2: other], 4, 5, 6)"
    assignments = "a0 = 7, a1 = 8, a2 = 9"
    source = f"CREATE TABLE t (id INT PRIMARY KEY, {unique}, {columns});\n" + "".join(
        f"CREATE QUERY r{n} AS SELECT id FROM t WHERE b{n} = [1: b] LIMIT 5;\n" for n in range(5)
    )
    source += f"""CREATE QUERY inserted AS {insert} IF NOT EXISTS;
    CREATE QUERY updated AS UPDATE t SET {assignments} WHERE id = [1: id];
    CREATE QUERY upserted AS {insert} ON CONFLICT (id) DO UPDATE SET {assignments};
    CREATE QUERY two AS {more} ON CONFLICT (id) DO UPDATE SET {assignments};
    CREATE UNIT both AS BEGIN {insert} ON CONFLICT (id) DO UPDATE SET {assignments}; DELETE FROM t WHERE id = 1; END;
    CREATE QUERY gone AS DELETE FROM t WHERE id = 1;"""
    queries = piql.compile({"a.piql": source}).queries
    bounds = {name: query.bound for name, query in queries.items()}
    inserted, updated = bounds["inserted"], bounds["updated"]
    assert inserted is not None
    assert updated is not None
    assert inserted.operations < updated.operations == queries["upserted"].bound.operations  # type: ignore[union-attr]
    for write, dearer in ((Decimal(100), "inserted"), (Decimal(1), "updated")):
        sheet = RequestSheet("Somebody", "May 2026", Decimal(1), write)
        prices = {name: price_of(bound, sheet, 2) for name, bound in bounds.items()}
        most = {name: price.most for name, price in prices.items() if price is not None}
        assert most["upserted"] == most[dearer] == max(most["inserted"], most["updated"])
        assert most["two"] == 2 * most[dearer]
        assert most["both"] == most[dearer] + most["gone"]


def test_a_request_costs_its_part_of_what_a_node_takes_in_a_month(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    prices = priced(tmp_path, capsys, NODES, "--rate", "followed=50", "--rate", "find=1000")
    assert prices["find"]["most"] == pytest.approx(262.98 / (1000 * 2_629_800) * 1000)
    assert prices["find"]["month"] == pytest.approx(262.98)  # as many a second as one node takes: the whole node
    assert prices["followed"]["month"] == pytest.approx(262.98 * 31 * 50 / 1000)
    assert "month" not in prices["newest"]


def test_prices_of_a_month_and_in_plans_are_shown_as_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "schema.piql"
    file.write_text(SCHEMA)
    assert check([str(file), "--price", sheet(tmp_path, NODES), "--rate", "find=1000"]) == 0
    printed = capsys.readouterr().out
    assert "Our cluster, May 2026; a request is its part of the 1,000 a second that a node takes" in printed
    assert "find      0.0001   263\n" in printed
    assert plan([str(file), "--query", "followed", "--price", "amazon"]) == 0
    printed = capsys.readouterr().out
    assert "≤ $0.086 for 1,000" in printed
    assert "$ for 1,000 executions: Amazon S3 Standard" in printed


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({"of": "x"}, "the fields of no sheet"),
        ([], "no JSON object"),
        (REQUESTS | {"read": 0}, "read is a number above 0"),
        (REQUESTS | {"write": "1"}, "write is a number above 0"),
        (NODES | {"date": ""}, "date is a text that says since when"),
    ],
)
def test_a_file_that_holds_no_sheet_is_refused_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], value: object, reason: str
) -> None:
    with pytest.raises(SystemExit):
        check(["-", "--price", sheet(tmp_path, value)])
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--rate", "find=3"], "--rate needs --price"),
        (["--price", "amazon", "--rate", "find=no"], "QUERY=N with N executions a second, not find=no"),
        (["--price", "amazon", "--rate", "lost=3"], "no query named lost"),
        (["--price", "nowhere.json"], "neither amazon nor amazon-2007, nor a file"),
    ],
)
def test_wrong_rates_and_unknown_sheets_are_refused(
    tmp_path: Path, arguments: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "schema.piql"
    file.write_text(SCHEMA)
    with pytest.raises(SystemExit):
        check([str(file), *arguments])
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize(
    ("amount", "shown"),
    [("0.000001", "0.000001"), ("0.0621601", "0.0622"), ("262.98", "263"), ("12", "12"), ("0", "0")],
)
def test_an_amount_is_never_shown_smaller_than_it_is(amount: str, shown: str) -> None:
    assert dollars(Decimal(amount)) == shown
