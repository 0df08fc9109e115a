"""What compiling costs beside what sqlglot and DuckDB do with the same queries, and how it grows.

Processor time of one process. Every round runs all variants in a new order, and ratios are taken within a round; of
them the median is given with an interval of 95 % by resampling. One variant runs twice under two names: its ratio tells
how far the others can be trusted.
"""

from __future__ import annotations

import argparse
import gc
import math
import random
import re
import statistics
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time_ns

import duckdb
import piql
import sqlglot
from piql.compiler import compile_statement
from piql.compiler.result import Compilation
from sqlglot.optimizer import optimize

SCADR = Path(__file__).resolve().parents[2] / "sample-apps" / "scadr"
QUERIES = ("findUser", "myThoughts", "usersFollowedBy", "thoughtstream")
TABLES = (1, 2, 4, 8, 12)  # joined in one query
SIZES = (10, 100, 1000)  # queries of a project
SAME, AGAIN = "piql", "piql again"
CALLS = 5  # of one variant, one after the other, in one round

Work = Callable[[], object]


def measure(variants: dict[str, Work], rounds: int, calls: int = CALLS) -> dict[str, list[float]]:
    """Return the milliseconds of each variant in each round."""
    chance = random.Random(2012)
    times: dict[str, list[float]] = {name: [] for name in variants}
    for _ in range(2):
        for work in variants.values():
            work()
    order = list(variants)
    gc.freeze()  # what is kept from before is not searched for garbage between rounds
    for _ in range(rounds):
        chance.shuffle(order)
        for name in order:
            gc.collect()
            gc.disable()
            started = process_time_ns()
            for _ in range(calls):
                variants[name]()
            times[name].append((process_time_ns() - started) / 1e6 / calls)
            gc.enable()
    gc.unfreeze()
    return times


def ratio(above: list[float], below: list[float]) -> tuple[float, float, float]:
    """Return the median of the ratios within a round, and the ends of its interval of 95 %."""
    ratios = [seconds / base for seconds, base in zip(above, below, strict=True)]
    chance = random.Random(1)
    medians = sorted(statistics.median(chance.choices(ratios, k=len(ratios))) for _ in range(500))
    return statistics.median(ratios), medians[12], medians[487]


def shown(interval: tuple[float, float, float]) -> str:
    """Return a ratio with its interval as text: `0.31 [0.29, 0.33]`."""
    middle, low, high = interval
    return f"{middle:.2f} [{low:.2f}, {high:.2f}]"


def statement(text: str) -> str:
    """Return the statement of a `CREATE QUERY … AS` by itself."""
    return text.partition(" AS\n")[2].strip().rstrip(";")


def as_sql(text: str) -> str:
    """Return the same query for a database without parameters: values of the right type, and no bounds."""
    text = re.sub(r"LIMIT \[[^\]]*\] MAX (\d+)", r"LIMIT \1", text)
    return re.sub(r"\[[^\]]*\]", "'me'", re.sub(r"PAGINATE (\d+)", r"LIMIT \1", text))


def tables_as_sql(compilation: Compilation) -> Iterator[str]:
    """Yield a CREATE TABLE that other databases take, for each table."""
    for table in compilation.tables.values():
        columns = ", ".join(f"{column.name} {column.type}" for column in table.columns)
        yield f"CREATE TABLE {table.name} ({columns}, PRIMARY KEY ({', '.join(table.primary_key)}))"


def against(text: str, compilation: Compilation, rounds: int) -> dict[str, list[float]]:
    """Return the times of one query: compiled here, parsed and optimized by sqlglot, explained by DuckDB."""
    sql = as_sql(text)
    schema = {
        table.name: {column.name: str(column.type) for column in table.columns} for table in compilation.tables.values()
    }
    database = duckdb.connect()
    for definition in tables_as_sql(compilation):
        database.execute(definition)
    return measure(
        {
            SAME: lambda: compile_statement(text, compilation),
            AGAIN: lambda: compile_statement(text, compilation),
            "sqlglot": lambda: optimize(sqlglot.parse_one(sql), schema=schema),
            "duckdb": lambda: database.execute(f"EXPLAIN {sql}").fetchall(),
        },
        rounds,
    )


def beside_others(rounds: int) -> None:
    """Print what compiling each query of SCADr takes beside sqlglot and DuckDB."""
    compilation = piql.compile(SCADR)
    print(f"{'one query':<18}{'piql':>8}{'p99':>8}{'sqlglot':>9}{'EXPLAIN':>9}  (ms)   piql/sqlglot     piql/EXPLAIN")
    agreement = []
    for name in QUERIES:
        runs = against(statement(compilation.queries[name].text), compilation, rounds)
        middle = {variant: statistics.median(times) for variant, times in runs.items()}
        slow = statistics.quantiles([*runs[SAME], *runs[AGAIN]], n=100)[98]
        print(
            f"{name:<18}{middle[SAME]:>8.2f}{slow:>8.2f}{middle['sqlglot']:>9.2f}{middle['duckdb']:>9.2f}"
            f"{shown(ratio(runs[SAME], runs['sqlglot'])):>23}{shown(ratio(runs[SAME], runs['duckdb'])):>19}"
        )
        agreement.append(ratio(runs[SAME], runs[AGAIN]))
    print("the same twice:   " + ", ".join(map(shown, agreement)))


def chain(tables: int) -> str:
    """Return tables each of which refers to the next, and a query that joins them."""
    schema = "".join(
        f"CREATE TABLE t{at} (a INT, b INT, c VARCHAR(20), PRIMARY KEY (a), CARDINALITY LIMIT 10 (b));\n"
        for at in range(tables)
    )
    joins = "".join(f" JOIN t{at} x{at} ON x{at}.a = x{at - 1}.b" for at in range(1, tables))
    return f"{schema}CREATE QUERY chain AS\nSELECT x{tables - 1}.c FROM t0 x0{joins} WHERE x0.a = [me]"


def with_more_tables(rounds: int) -> None:
    """Print how the time grows with the tables that a query joins."""
    times_at: dict[int, dict[str, list[float]]] = {}
    for tables in TABLES:
        compilation = piql.compile(chain(tables))
        times_at[tables] = against(statement(compilation.queries["chain"].text), compilation, rounds)
    print(f"\n{'joined tables':<18}" + "".join(f"{table:>8}" for table in TABLES) + "   (ms)")
    for name in (SAME, "sqlglot", "duckdb"):
        middle = [statistics.median(times_at[table][name]) for table in TABLES]
        steps = [
            (longer - shorter) / (more - fewer)
            for longer, shorter, more, fewer in zip(middle[1:], middle, TABLES[1:], TABLES, strict=False)
        ]
        power = statistics.linear_regression(
            [math.log(table) for table in TABLES[1:]], [math.log(duration) for duration in middle[1:]]
        ).slope
        print(
            f"{name:<18}" + "".join(f"{value:>8.2f}" for value in middle)
            + f"   at most {max(steps):.2f} ms for one more table, exponent {power:.2f}"
        )  # fmt: skip


def project(queries: int, edited: str = "", limit: int = 50) -> dict[str, str]:
    """Return 50 tables, and queries of two kinds over them; one of them ends with `edited`."""
    schema = "".join(
        f"CREATE TABLE t{at} (a INT, b INT, c VARCHAR(20), d INT, PRIMARY KEY (a, b),"
        f" CARDINALITY LIMIT {limit if at == 0 else 50} (a));\n"
        for at in range(50)
    )
    texts = []
    for number in range(queries):
        at, end = number % 50, edited if number == queries // 2 else ""
        if number % 4 == 3:  # by a secondary index
            read = f"SELECT a, b, c FROM t{at} WHERE d = [d] ORDER BY b LIMIT 10{end}"
        else:
            read = (
                f"SELECT x.b, x.c, y.c AS d FROM t{at} x JOIN t{(at + 1) % 50} y ON y.a = x.b\n"
                f"WHERE x.a = [me] AND x.b > {number} ORDER BY y.b LIMIT 10{end}"
            )
        texts.append(f"CREATE QUERY q{number} AS\n{read};\n")
    return {"schema.piql": schema, "queries.piql": "".join(texts)}


def in_many_files(texts: dict[str, str]) -> dict[str, str]:
    """Return a project with each query in a file of its own."""
    parts = texts["queries.piql"].split(";\n")[:-1]
    return {"schema.piql": texts["schema.piql"], **{f"q{at}.piql": part + ";\n" for at, part in enumerate(parts)}}


def edits_among(size: int, count: int, *, one_file: bool, first: int = 1) -> Work:
    """Return work that compiles a project of `size` queries after one more edit of one query, `count` times at most."""
    texts = project(size, "@")
    if not one_file:
        texts = in_many_files(texts)
    name, before, behind = next((name, *text.split("@")) for name, text in texts.items() if "@" in text)
    waiting = [{**texts, name: f"{before}{number}{behind}"} for number in range(first, first + count)]

    def work() -> object:
        compilation = piql.compile(waiting.pop())
        return compilation.diagnostics, compilation.queries[f"q{size // 2}"].bound

    return work


def beside_other_queries(rounds: int) -> None:
    """Print what one key takes in one query of 10, 100 and 1,000, in one file and in a file for each."""
    for one_file in (True, False):
        works = {str(size): edits_among(size, rounds + 2, one_file=one_file) for size in SIZES}
        works["10 again"] = edits_among(10, rounds + 2, one_file=one_file, first=5000)
        times = measure(works, rounds, 1)
        where = "all in one file" if one_file else "a file each"
        middle = "".join(f"{statistics.median(times[str(size)]):>8.2f}" for size in SIZES)
        print(f"\n{'a key in one query of':<24}" + "".join(f"{size:>8}" for size in SIZES))
        print(f"{where:<24}{middle}   (ms)")
        twice = shown(ratio(times["10"], times["10 again"]))
        print(f"1000 to 10: {shown(ratio(times['1000'], times['10']))}, 10 to 10: {twice}")


def whole_sets() -> None:
    """Print what 1,000 queries take that were never compiled before, and what an edit of their schema takes."""
    limits = iter(range(100, 200))
    fresh = []
    for _ in range(5):
        texts = {f"{next(limits)}/{name}": text for name, text in project(1000).items()}  # never seen before
        gc.collect()
        started = process_time_ns()
        piql.compile(texts)
        fresh.append((process_time_ns() - started) / 1e9)
    schema = measure({"schema": lambda: piql.compile(project(1000, limit=next(limits)))}, 10, 1)["schema"]
    print(
        f"\n1,000 queries over 50 tables, afresh: {statistics.median(fresh):.2f} s; "
        f"after an edit of a table that 40 of them read: {statistics.median(schema):.0f} ms"
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rounds", type=int, default=60)
    chosen = options.parse_args()
    print(f"processor time, {chosen.rounds} rounds; Python {sys.version.split()[0]}, sqlglot {sqlglot.__version__}, "
          f"DuckDB {duckdb.__version__}\n")  # fmt: skip
    beside_others(chosen.rounds)
    with_more_tables(chosen.rounds)
    beside_other_queries(chosen.rounds)
    whole_sets()


if __name__ == "__main__":
    main()
