"""Whatever tables, limits and indexes come and go: a set gives what it gives when nothing was compiled before."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import piql
import pytest
from piql.compiler import query_set
from piql.compiler.binding import binder
from piql.trees import sharing

from .test_incremental import compiled_afresh, described

MOST_TABLES = 5

Statements = dict[str, str]  # by what they declare, in the order of the text


def table(rng: random.Random, number: int) -> str:
    """Declare a table in one of many ways; some refer to others, which may not be there."""
    columns = [f"a {rng.choice(('INT', 'INT', 'INT', 'BIGINT', 'INNT'))}", "b INT", "c VARCHAR(20)", "d INT"]
    columns += ["e TEXT"] * rng.randrange(2)
    more = [rng.choice(("PRIMARY KEY (a)", "PRIMARY KEY (a)", "PRIMARY KEY (a, b)"))]
    if rng.randrange(3):
        more.append(f"CARDINALITY LIMIT {rng.randrange(1, 9)} ({rng.choice(('b', 'c', 'd, c', 'x', 'TOKEN(c)'))})")
    if rng.randrange(3) == 0:
        more.append(f"UNIQUE ({rng.choice(('c', 'd', 'b, d'))})")
    if rng.randrange(3) == 0:
        key = rng.choice(("b", "d"))
        maximum = rng.choice(("", " MAX 4"))
        more.append(f"FOREIGN KEY ({key}) REFERENCES t{rng.randrange(MOST_TABLES)}{maximum}")
    return f"CREATE TABLE t{number} ({', '.join(columns + more)});\n"


def entity(rng: random.Random, number: int) -> str:
    if number == 0:
        return f"ENTITY E0 {{ int a, string b, PRIMARY({rng.choice(('a', 'a', 'b', 'a, b'))}) }};\n"
    most = rng.choice(("", " MAX 5", " MAX 6"))
    return f"ENTITY E1 {{ int p, int n, FOREIGN KEY owner REF E0{most}, PRIMARY(p) }};\n"


def index(rng: random.Random, number: int) -> str:
    columns = rng.choice(("b", "c", "d DESC", "c, d", "TOKEN(c)", "e"))
    covering = rng.choice(("", "", " COVERING (d)"))
    return f"CREATE INDEX i{number} ON t{rng.randrange(MOST_TABLES)} ({columns}){covering};\n"


def query(rng: random.Random, number: int) -> str:
    left, right = (f"t{rng.randrange(MOST_TABLES)}" for _ in range(2))
    column = rng.choice("abcd")
    body = rng.choice(
        (
            f"SELECT * FROM {left} WHERE a = [me] AND b = 1",
            f"SELECT a, c FROM {left} WHERE {column} = [it] ORDER BY d LIMIT 5",
            f"SELECT a, c FROM {left} WHERE {column} = [it]",
            f"SELECT x.a, y.c FROM {left} x JOIN {right} y ON y.a = x.b WHERE x.a = [me] AND x.b = 3",
            f"SELECT x.a, y.c FROM {left} x JOIN {right} y ON y.b = x.a WHERE x.c = [me] ORDER BY y.d LIMIT 3",
            f"SELECT a FROM {left} WHERE a = 1 AND b = 2 AND EXISTS (SELECT 1 o FROM {right} z WHERE z.b = {left}.d)",
            f"SELECT a FROM {left} WHERE c LIKE [word] LIMIT 4",
            f"INSERT INTO {left} (a, b, c, d) VALUES ([a], [b], [c], [d])",
            f"UPDATE {left} SET {column} = [v] WHERE a = [a]",
            f"DELETE FROM {left} WHERE a = [a]",
        )
    )
    if rng.randrange(8) == 0:
        return f"QUERY q{number} FETCH E1 OF E0 BY owner WHERE E0 = [this];\n"
    return f"CREATE QUERY q{number} AS {body};\n"


KINDS: dict[str, tuple[Callable[[random.Random, int], str], int]] = {
    "t": (table, MOST_TABLES),
    "e": (entity, 2),
    "i": (index, 3),
    "q": (query, 14),
}


def begun(rng: random.Random) -> Statements:
    return {f"{kind}{number}": make(rng, number) for kind, (make, most) in KINDS.items() for number in range(most)}


def changed(rng: random.Random, statements: Statements) -> Statements:
    """Add, change or remove something, mostly of the schema, or put a statement elsewhere."""
    now = dict(statements)
    kind = rng.choice("tttteiiq")
    make, most = KINDS[kind]
    number = rng.randrange(most)
    match rng.randrange(6):
        case 0:
            now.pop(f"{kind}{number}", None)
        case 1:
            moved = rng.choice(list(now))
            items = [item for item in now.items() if item[0] != moved]
            items.insert(rng.randrange(len(items) + 1), (moved, now[moved]))
            now = dict(items)
        case _:
            now[f"{kind}{number}"] = make(rng, number)
    return now


def in_files(statements: Statements, way: int) -> dict[str, str]:
    """Put statements into one file, into one for the schema and one for the queries, or into one for each."""
    texts = {f"{name}.piql": "" for kind, (_, most) in KINDS.items() for name in (f"{kind}{at}" for at in range(most))}
    if way == 0:
        return {"": "".join(statements.values())}
    if way == 1:
        schema = "".join(text for name, text in statements.items() if name[0] != "q")
        return {"queries.piql": "".join(text for name, text in statements.items() if name[0] == "q"), "s.piql": schema}
    return texts | {f"{name}.piql": text for name, text in statements.items()}


def check_schemas(seed: int, count: int) -> None:
    rng = random.Random(seed)
    first = statements = begun(rng)
    way = seed % 3
    piql.compile(in_files(statements, way))
    for number in range(count):
        before = statements
        for _ in range(rng.choice((1, 1, 1, 2))):
            statements = changed(rng, statements)
        if rng.randrange(10) == 0:
            statements = first
        texts = in_files(statements, way)
        now, afresh = piql.compile(texts), compiled_afresh(texts)
        assert described(now) == described(afresh), (seed, number, before, statements)


@pytest.fixture
def short_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "RUN", 2)
    monkeypatch.setattr(sharing, "LONGEST", 4)


@pytest.mark.usefixtures("short_runs")
@pytest.mark.parametrize("seed", range(3))  # one for each way to put them into files
def test_a_compilation_after_edits_of_the_schema_equals_a_fresh_one(seed: int) -> None:
    """Five edits in each way; the long test makes a hundred."""
    check_schemas(seed, 5)


@pytest.mark.long
@pytest.mark.usefixtures("short_runs")
@pytest.mark.parametrize("seed", [*range(3, 6), *range(200, 230)])
def test_a_compilation_after_many_edits_of_the_schema_equals_a_fresh_one(seed: int) -> None:
    check_schemas(seed, 100)


def test_a_table_is_added_to_many_queries_without_looking_into_them(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = "CREATE TABLE t (a INT PRIMARY KEY, b INT);\nCREATE TABLE u (a INT PRIMARY KEY, b INT);\n"
    reads = "".join(f"CREATE QUERY q{at} AS SELECT b FROM {'tu'[at == 7]} WHERE a = {at};\n" for at in range(99))
    piql.compile({"schema.piql": schema, "reads.piql": reads})
    assembled: list[str] = []
    part = query_set._part

    def noted(file: Any, bound: Any, *arguments: Any) -> Any:
        assembled.extend(query.name for query in bound)
        return part(file, bound, *arguments)

    monkeypatch.setattr(query_set, "_part", noted)
    piql.compile({"schema.piql": schema + "CREATE TABLE v (a INT PRIMARY KEY);\n", "reads.piql": reads})
    assert assembled == []
    both = {"schema.piql": schema.replace("b INT);", "b BIGINT);"), "reads.piql": reads}
    piql.compile(both)
    assert len(assembled) == 99
    assembled.clear()
    piql.compile({**both, "schema.piql": schema.replace("b INT);", "b BIGINT);", 1)})
    assert assembled == ["q7"]


def test_queries_over_a_table_that_stays_broken_are_bound_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """So are they when it is whole again, with another number in its limit."""
    reads = "".join(f"CREATE QUERY q{at} AS SELECT c FROM t WHERE b = [me] AND c > {at};\n" for at in range(30))

    def texts(limit: str) -> dict[str, str]:
        schema = f"CREATE TABLE t (a INT PRIMARY KEY, b INT, c INT, CARDINALITY LIMIT {limit} (b));\n"
        return {"reads.piql": reads, "schema.piql": schema}

    for limit in ("10", "11", "11x"):
        piql.compile(texts(limit))
    bound: list[str] = []
    bind = binder._bind

    def noted(statement: Any, name: str, *arguments: Any) -> Any:
        bound.append(name)
        return bind(statement, name, *arguments)

    monkeypatch.setattr(binder, "_bind", noted)
    for limit in ("11 x", "12x", "12", "12y", "13"):
        now = piql.compile(texts(limit))
        assert bound == [], limit
        assert described(now) == described(compiled_afresh(texts(limit)))
        bound.clear()
