"""Random CHECKs, rows and writes: what the engine refuses and keeps is what DuckDB's own CHECK does."""

from __future__ import annotations

import datetime as dt
import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from functools import partial
from typing import TypeAlias

import duckdb
import piql
import pytest

Row: TypeAlias = dict[str, object]

COLUMNS = {
    "a": "INT",
    "b": "BIGINT",
    "d": "DECIMAL(6, 2)",
    "s": "VARCHAR(8)",
    "f": "BOOLEAN",
    "t": "DATE",
    "x": "DOUBLE",
}
DRAWN: dict[str, Callable[[random.Random], object]] = {
    "a": lambda rng: rng.randint(-4, 9),
    "b": lambda rng: rng.choice((2**63 - 1, -(2**63), *range(-3, 7))),
    "d": lambda rng: Decimal(rng.choice((-999999, 999999, *range(-300, 900, 50)))) / 100,
    "s": lambda rng: rng.choice(("", "a", "A", "ab", "b", "é", "o'hara", "100%", "a_b")),
    "f": lambda rng: rng.random() < 0.5,
    "t": lambda rng: dt.date(2012, 2, 27) + dt.timedelta(days=rng.choice((0, 1, 2, 366, -20_000))),
    "x": lambda rng: rng.randint(-12, 20) / 4,
}
LITERAL: dict[str, Callable[[object], str]] = {
    "s": lambda value: "'" + str(value).replace("'", "''") + "'",
    "t": "DATE '{}'".format,
    "f": lambda value: str(value).upper(),
    "x": "{}e0".format,
}
COMPARED = ("=", "<>", "<", "<=", ">", ">=")
CALLS = ("ABS({})", "({} % 3)", "({} + 1)", "(- {})", "COALESCE({}, 1)")


def drawn(rng: random.Random, column: str) -> object:
    return None if rng.random() < 0.15 else DRAWN[column](rng)


def literal(rng: random.Random, column: str) -> str:
    if rng.random() < 0.04:
        return "NULL"
    value = rng.randint(-9, 9) if column == "b" else DRAWN[column](rng)
    return LITERAL.get(column, str)(value)


def operand(rng: random.Random, column: str) -> str:
    if column in "ab" and rng.random() < 0.4:
        return rng.choice(CALLS).format(column)
    if column == "s" and rng.random() < 0.3:
        return rng.choice(("LOWER(s)", "COALESCE(s, 'a')"))
    return column


def random_test(rng: random.Random, depth: int = 2) -> str:
    if depth and rng.random() < 0.45:
        left, right = random_test(rng, depth - 1), random_test(rng, depth - 1)
        shape = rng.choice(("({} AND {})", "({} OR {})", "(NOT {1})", "(CASE WHEN {} THEN {} ELSE TRUE END)"))
        return shape.format(left, right)
    column = rng.choice([*COLUMNS])
    left, first, second = operand(rng, column), literal(rng, column), literal(rng, column)
    many = f"{literal(rng, column)}, {first}, {second}"
    shapes = [f"({left} {rng.choice(COMPARED)} {first})"] * 4
    shapes += [f"({column} IS NULL)", f"({column} IS NOT NULL)", f"({left} IN ({many}))", f"({left} NOT IN ({many}))"]
    shapes += [f"({left} BETWEEN {first} AND {second})"] if column != "f" else ["f", "(NOT f)"]
    shapes += ["(a < b)", "(d >= a)"]
    return rng.choice(shapes)


class World:
    """A table with CHECKs in a store and in DuckDB, and the rows that it should have."""

    def __init__(self, rng: random.Random, db: piql.Database, oracle: duckdb.DuckDBPyConnection) -> None:
        self.rng, self.db, self.oracle = rng, db, oracle
        self.rows: dict[int, Row] = {}
        self.outcomes: Counter[str] = Counter()
        columns = [f"{name} {kind}" for name, kind in COLUMNS.items()]
        self.checks = [f"CHECK ({random_test(rng)})" for _ in range(rng.randint(1, 3))]
        self.table = f"CREATE TABLE t (id INT PRIMARY KEY, {', '.join([*columns, *self.checks])});"
        names, given = ", ".join(["id", *COLUMNS]), ", ".join(f"[{name}]" for name in ["id", *COLUMNS])
        settings = ", ".join(f"{name} = [{name}]" for name in COLUMNS)
        put = f"INSERT INTO t ({names}) VALUES ({given})"
        text = f"""{self.table}
CREATE QUERY put AS {put};
CREATE QUERY putOnce AS {put} ON CONFLICT (id) DO NOTHING;
CREATE QUERY putOver AS {put} ON CONFLICT (id) DO UPDATE SET a = EXCLUDED.a, d = EXCLUDED.d, s = EXCLUDED.s;
CREATE QUERY setAll AS UPDATE t SET {settings} WHERE id = [id];
CREATE QUERY setOne AS UPDATE t SET a = [a] WHERE id = [id];
CREATE QUERY add AS UPDATE t SET a = a + [a] WHERE id = [id];
CREATE QUERY row AS SELECT {names} FROM t WHERE id = [id];"""
        db.deploy(piql.compile(text))
        oracle.execute("DROP TABLE IF EXISTS t")
        oracle.execute(self.table.replace("INT PRIMARY KEY", "INT"))

    def verdict(self, row: Row) -> str:
        """Return what DuckDB makes of a row: taken, refused, or an error of its test."""
        try:
            self.oracle.execute("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?, ?)", list(row.values()))
        except duckdb.ConstraintException:
            return "refused"
        except duckdb.Error:
            return "error"
        return "taken"

    def write(self) -> None:
        rng = self.rng
        new: Row = {"id": rng.randint(0, 5)} | {name: drawn(rng, name) for name in COLUMNS}
        at = int(str(new["id"]))
        old = self.rows.get(at)
        kind = rng.choice(("put", "putOnce", "putOver", "setAll", "setOne", "add", "load"))
        if kind in ("put", "load", "setAll", "setOne", "add") and (old is None) != (kind in ("put", "load")):
            return
        written, after = [new], new
        if old is not None:
            match kind:
                case "putOnce":
                    after = old
                case "putOver":
                    after = old | {name: new[name] for name in ("a", "d", "s")}
                    written = [new, after]
                case "setOne":
                    written = [after := old | {"a": new["a"]}]
                case "add":
                    before, more = old["a"], new["a"]
                    total = before + more if isinstance(before, int) and isinstance(more, int) else None
                    written = [after := old | {"a": total}]
        self.compare(kind, new, after, [self.verdict(row) for row in written])

    def compare(self, kind: str, new: Row, after: Row, verdicts: list[str]) -> None:
        at = int(str(new["id"]))
        said = f"{self.checks}: {kind} {new} over {self.rows.get(at)}: DuckDB says {verdicts}"
        given = {"setOne": ("id", "a"), "add": ("id", "a")}.get(kind, tuple(new))
        try:
            if kind == "load":
                self.db.load("t", [new])
            else:
                self.db.execute(kind, {name: new[name] for name in given})
            outcome = "taken"
        except piql.ConstraintViolation:
            outcome = "refused"
        if "error" not in verdicts:
            assert outcome == ("refused" if "refused" in verdicts else "taken"), said
        if outcome == "taken":
            self.rows[at] = after
        kept = self.db.execute("row", {"id": at}).rows
        assert kept == [row for row in [self.rows.get(at)] if row], said
        self.outcomes["error" if "error" in verdicts else outcome] += 1


@contextmanager
def duckdb_in_memory() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(":memory:", config={"threads": 1}) as connection:
        yield connection


def writes_of(seed: int, store: str, oracle: duckdb.DuckDBPyConnection, writes: int = 20) -> Counter[str]:
    """Write random rows of a random table, compare each outcome, and return how often each came."""
    with piql.connect(store) as db:
        world = World(random.Random(seed), db, oracle)
        for _ in range(writes):
            world.write()
    return world.outcomes


@pytest.mark.parametrize("store", ["embedded:", "stepwise:"])
def test_random_checks_refuse_what_duckdb_refuses(store: str) -> None:
    with duckdb_in_memory() as oracle:
        outcomes = sum(map(partial(writes_of, store=store, oracle=oracle), range(50)), Counter[str]())
    assert outcomes["taken"] > 100
    assert outcomes["refused"] > 100
