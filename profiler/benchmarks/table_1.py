"""Reads `table-1.json`, the fixed list of queries that predictions are compared on, and puts its rows into a database.

    {"query": "thoughtstream", "follows": 37, "count": 20}    a case: a query of SCADr or TPC-W, and its cardinalities

`table_1_data.py` makes the rows and the parameters of each case.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import piql
import table_1_data
from piql.client.database import Observation
from piql.compiler.result import Compilation
from piql.errors import DuplicateKey
from piql_profiler.measure.clock import REAL, Clock
from piql_profiler.validation.case import CaseSession
from piql_profiler.validation.known_truth.service_times import ServiceTimes

FILE = Path(__file__).with_name("table-1.json")
# Remembers which rows have been loaded into the store.
_LOADED = """
CREATE TABLE loaded_rows (name VARCHAR(60) PRIMARY KEY);
CREATE QUERY loaded_rows_of AS SELECT name FROM loaded_rows WHERE name = [1: name];
"""
_SAMPLES = Path(__file__).parents[2] / "sample-apps"


@dataclass(frozen=True)
class Lists:
    """The cases by the part of the report that they belong to, and how they are measured.

    `profile` has the grid, intervals, load and precision, `times` the law of the simulated store.
    """

    seed: int
    profile: Mapping[str, Any]
    times: ServiceTimes
    parts: Mapping[str, tuple[Mapping[str, Any], ...]]

    @classmethod
    def read(cls, file: Path = FILE) -> Lists:
        """Read a list; the cells of figure 6 are all pairs of its `follows` and `count`."""
        content = json.loads(file.read_text(encoding="utf-8"))
        figure = content["figure_6"]
        cells = [
            {"query": figure["query"], "follows": follows, "count": count}
            for follows in figure["follows"]
            for count in figure["count"]
        ]
        parts = {name: tuple(content[name]) for name in ("table_1", "unseen", "writes")} | {"figure_6": tuple(cells)}
        return cls(content["seed"], content["profile"], ServiceTimes(**content["service_times"]), parts)

    def only(self, parts: Sequence[str]) -> Lists:
        """The same list with some of its parts."""
        return replace(self, parts={name: self.parts[name] for name in parts})

    @property
    def cases(self) -> dict[str, Mapping[str, Any]]:
        """Every case once, by its name."""
        return {name_of(case): case for part in self.parts.values() for case in part}


def name_of(case: Mapping[str, Any]) -> str:
    """The name of a case, such as `thoughtstream, follows 37, count 20`."""
    return ", ".join([case["query"], *(f"{key} {value}" for key, value in case.items() if key != "query")])


def fill(database: piql.Database, lists: Lists) -> Compilation:
    """Deploy both applications and load their rows, unless they are there; a load that was interrupted goes on.

    The store is flushed: rows then lie in files, as those of a profile do.
    """
    database.deploy(piql.compile(_LOADED))
    cases = list(lists.cases.values())
    for application, rows in (("scadr", table_1_data.scadr(cases)), ("tpcw", table_1_data.tpcw(cases))):
        name = f"{application}, {', '.join(lists.parts)}"
        if database.execute("loaded_rows_of", {"name": name}).rows:
            continue
        database.deploy(piql.compile(_SAMPLES / application))
        for table, records in rows.items():
            database.load(table, records, resume=f"table-1 {table}")
        database.store.flush()
        database.load("loaded_rows", [{"name": name}])
    return database.deployment.compilation


def sessions(
    database: piql.Database,
    observations: list[Observation],
    compilation: Compilation,
    lists: Lists,
    clock: Clock = REAL,
) -> dict[str, CaseSession]:
    """Make each case ready to be executed, its parameters drawn from the list's seed.

    The observer of the database has to append to `observations`.
    """
    return {
        name: CaseSession(
            name,
            compilation.queries[case["query"]],
            database,
            observations,
            _draws(case, lists.seed * 100 + at),
            clock,
            _before(case, database),
        )
        for at, (name, case) in enumerate(lists.cases.items())
    }


def _before(case: Mapping[str, Any], database: piql.Database) -> Callable[[Mapping[str, object]], None]:
    """What is run before a write, so that rows that it inserts are missing and rows that it changes exist."""

    def run(parameters: Mapping[str, object]) -> None:
        for query, query_parameters in table_1_data.before(case, parameters):
            with contextlib.suppress(DuplicateKey):
                database.execute(query, query_parameters)

    return run


def _draws(case: Mapping[str, Any], seed: int) -> Callable[[], dict[str, object]]:
    """A function that draws the parameters of one execution."""
    random = Random(seed)
    return lambda: table_1_data.parameters(case, random)
