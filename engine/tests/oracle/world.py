"""A world: a schema, its rows, and queries with the parameters of their executions; equal seeds give equal worlds."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

from .checks import with_checks
from .contents import Row
from .piql_text import piql_query
from .query import Delete, Insert, Read, Recursive, ScalarSelect, Select, Update
from .query_generator import QueryCase, random_read
from .schema import Schema, piql_ddl
from .schema_generator import Pools, random_contents, random_schema, with_defaults, with_times, with_whole_limits
from .write_generator import random_write

READS, WRITES = 20, 4
MARKS = (
    "Exists",
    "InSelect",
    "ScalarSelect",
    "In(",
    "Or(",
    "Not(",
    "IsNull",
    "Between",
    "Token",
    "Call",
    "Case(",
    "Distinct(",
    "Arithmetic",
    "Now(",
    "DateSum",
    "Difference",
    "DatePart",
    "BOOL_OR",
    "BOOL_AND",
    "STRING_AGG",
)


@dataclass(frozen=True, slots=True)
class World:
    """What one run of the oracle is about."""

    seed: int
    schema: Schema
    rows: Mapping[str, tuple[Row, ...]]
    reads: tuple[QueryCase, ...]
    writes: tuple[QueryCase, ...] = ()

    @property
    def ddl(self) -> str:
        return piql_ddl(self.schema)

    def source(self, *cases: QueryCase) -> str:
        """Write the schema and these queries as PIQL."""
        return self.ddl + "".join(piql_query(case.name, case.query, case.style) for case in cases)


def random_world(seed: int, reads: int = READS, writes: int = WRITES) -> World:
    """Return the world of a seed."""
    rng = random.Random(seed)
    schema = random_schema(rng)
    schema = with_whole_limits(random.Random(f"whole tables {seed}"), schema)
    schema = with_times(random.Random(f"hours {seed}"), schema)
    pools = Pools(rng, schema)
    schema = with_defaults(random.Random(f"defaults {seed}"), schema, pools.values)
    schema = with_checks(random.Random(f"checks {seed}"), schema, pools.values)
    contents = random_contents(rng, schema, pools)
    rows = {table.name: tuple(contents.all_rows(table.name)) for table in schema.tables}
    read_cases = tuple(random_read(rng, schema, pools, contents, f"q{number}") for number in range(reads))
    write_cases = tuple(random_write(rng, schema, pools, contents, f"w{number}") for number in range(writes))
    return World(seed, schema, rows, read_cases, write_cases)


def constructs(case: QueryCase) -> set[str]:
    """Name the constructs that a query uses, to count what was tried and what was accepted."""
    if isinstance(case.query, Insert | Update | Delete):
        names = {type(case.query).__name__.upper()}
        names |= {"RETURNING"} if case.query.returning else set()
        names |= {"ON CONFLICT"} if isinstance(case.query, Insert) and case.query.conflict is not None else set()
        names |= {"INSERT of a list"} if isinstance(case.query, Insert) and case.query.given is not None else set()
        names |= {"section"} if getattr(case.query, "section", None) is not None else set()
        names |= {"INSERT of what it reads"} if isinstance(case.query, Insert) and _reads_a_value(case.query) else set()
        names |= {"INSERT of several rows"} if isinstance(case.query, Insert) and case.query.more else set()
        return names | ({"DEFAULT"} if "Default()" in repr(case.query) else set())
    names = {"SELECT"}
    _collect(case.query, names)
    return names


def _reads_a_value(query: Insert) -> bool:
    rows = [tuple(value for _, value in query.values), *query.more]
    return any(isinstance(value, ScalarSelect) for row in rows for value in row)


def _collect(query: Read, names: set[str]) -> None:
    if isinstance(query, Select):
        names |= {f"{source.kind} join" for source in query.sources if source.kind != "from"}
        names |= {"derived table" for source in query.sources if not isinstance(source.relation, str)}
        names |= {"view" for source in query.sources if str(source.relation).startswith("view")}
        names |= {"recursion" for source in query.sources if isinstance(source.relation, Recursive)}
        names |= {"GROUP BY or aggregate"} if any(item.name.startswith("g") for item in query.items) else set()
        names |= {"DISTINCT"} if query.is_distinct else set()
        names |= {"FETCH"} if query.by else set()
        names |= {"SELECT EXISTS"} if not query.sources else set()
        names |= {"a condition as a value"} if any(item.name == "holds" for item in query.items) else set()
        names |= {"FILTER"} if "filter=" in repr(query).replace("filter=None", "") else set()
        text = repr((query.where, query.having, query.items))
        for mark in MARKS:
            names |= {mark.strip("(")} if mark in text else set()
        relations = [source.relation for source in query.sources]
        names |= {"self join"} if len(set(map(str, relations))) < len(relations) else set()
    else:
        names.add("UNION")
    names |= {"ORDER BY"} if query.order else set()
    names |= {f"NULLS {order.nulls}" for order in query.order if order.nulls is not None}
    names |= {query.stop.kind} if query.stop is not None else set()
