"""What is declared never makes a query dearer: worlds compiled with each limit, key and index, and without it.

The law: a plan found without a limit, key, UNIQUE or index exists with it, too. So a query that is bounded without it
is bounded with it, and takes at most 10 % longer. Plans within 10 % count as equally good, and steps of 10 % have ends:
a plan may take 1 % longer and be in the next one.

Its bound of requests may be larger only as the price of time: if the plan chosen is in a lower step. More requests for
the same time, or for a looser proof of the same plan, break the law.

Only queries that name the table of a declaration are compared: the others are planned alike. `declared_in` takes each
declaration of a world, or some that it draws: another world says more than another declaration of the same one.

The law is about a query alone, as nothing else is declared for it. In a set, it may read an index that another query
needs; if a declaration makes that other query cheaper, the index may be needed no longer. An index in BUCKETS is left
out, too: whoever writes it asks for more requests.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import piql
from piql.compiler.bounds.queries import section_cost
from piql.compiler.optimizer.analysis.effort import Cost
from piql.compiler.physical.write_plan import WritePlan

from ..piql_text import piql_query
from ..schema import ForeignKey, Schema, Table, piql_ddl
from ..views import base_of
from ..world import World, random_world
from .planned_costs import PlannedCosts

Costs: TypeAlias = Callable[[Schema, Mapping[str, str]], dict[str, Cost]]
SCALES = (1, 1, 10, 100, 3_000)  # a limit of 9 changes little, one of 27,000 much


@dataclass(frozen=True, slots=True)
class Dearer:
    """A query that a declaration makes dearer."""

    seed: int
    query: str
    declared: str
    detail: str


@dataclass
class Declared:
    """What came of worlds: how often a query was held with a declaration against without, and what was dearer."""

    held: int = 0
    cheaper: int = 0  # of these, by the declaration
    dearer: list[Dearer] = field(default_factory=list)

    def add(self, more: Declared) -> None:
        self.held += more.held
        self.cheaper += more.cheaper
        self.dearer += more.dearer


def declared_in(
    seed: int,
    costs: Costs | None = None,
    world_of: Callable[[int], World] = random_world,
    drawn: int | None = None,
    most_queries: int | None = None,
) -> Declared:
    """Plan the queries of a world, and without each declaration of its schema, one at a time, or without `drawn` ones.

    Of the queries that a declaration may change, all are planned, or `most_queries` that are drawn.
    What is dearer is compiled once more by `piql.compile`, which has the last word.
    """
    rng = random.Random(f"declaring {seed}")
    schema, texts = declaring_world(world_of(seed), rng)
    left_out = list(without_each(schema))
    if drawn is not None:
        left_out = rng.sample(left_out, min(drawn, len(left_out)))
    reading = [_drawn(_naming(table, schema, texts), most_queries, rng) for table, _, _ in left_out]
    found = Declared()
    planned_costs = costs or PlannedCosts()
    compiled_costs = costs or costs_of
    whole = planned_costs(schema, {name: text for some in reading for name, text in some.items()})
    for (_, declared, smaller), some in zip(left_out, reading, strict=True):
        for query, before in planned_costs(smaller, some).items():
            now = whole.get(query)
            found.held += 1
            if now is not None:
                found.cheaper += now[:2] < before[:2]
            if is_dearer(now, before):
                alone = {query: texts[query]}
                now_alone, before_alone = (compiled_costs(one, alone).get(query) for one in (schema, smaller))
                if is_dearer(now_alone, before_alone):
                    detail = f"{_said(before_alone)} without it, {_said(now_alone)} with it"
                    detail += f"\n{piql_ddl(schema)}{texts[query]}"
                    found.dearer.append(Dearer(seed, query, declared, detail))
    return found


def declaring_world(world: World, rng: random.Random) -> tuple[Schema, dict[str, str]]:
    """Return the schema of a world with limits of all sizes, and the text of each of its queries by name."""
    schema = replace(
        world.schema,
        tables=tuple(_scaled(table, rng) for table in world.schema.tables),
        indexes=tuple(index for index in world.schema.indexes if index.buckets is None),
    )
    return schema, {case.name: piql_query(case.name, case.query, case.style) for case in world.reads}


def _naming(table: str, schema: Schema, texts: Mapping[str, str]) -> dict[str, str]:
    """Return the queries that name a table, or a view of it."""
    names = "|".join([table, *(view.name for view in schema.views if base_of(schema, view).name == table)])
    return {query: text for query, text in texts.items() if re.search(rf"\b({names})\b", text)}


def _drawn(texts: dict[str, str], most: int | None, rng: random.Random) -> dict[str, str]:
    if most is None or len(texts) <= most:
        return texts
    return {name: texts[name] for name in rng.sample(sorted(texts), most)}


def is_dearer(now: Cost | None, before: Cost | None) -> bool:
    """Whether a query is dearer than before: by more than 10 % of its time, or by requests that save no time."""
    if now is None or before is None:
        return now is None and before is not None
    return now.nanoseconds * 10 > before.nanoseconds * 11 or (
        now.requests > before.requests and now.step >= before.step
    )


def _scaled(table: Table, rng: random.Random) -> Table:
    limits = tuple(replace(limit, limit=limit.limit * rng.choice(SCALES)) for limit in table.limits)
    keys = tuple(
        key if key.max is None else replace(key, max=key.max * rng.choice(SCALES)) for key in table.foreign_keys
    )
    return replace(table, limits=limits, foreign_keys=keys)


def without_each(schema: Schema) -> Iterator[tuple[str, str, Schema]]:
    """Yield what a schema declares, each by its table and name, and the schema without it.

    These are limits, foreign keys, UNIQUEs that no reference needs, and indexes.
    """
    for at, index in enumerate(schema.indexes):
        yield (
            index.table,
            f"INDEX {index.name}",
            replace(schema, indexes=schema.indexes[:at] + schema.indexes[at + 1 :]),
        )
    for number, table in enumerate(schema.tables):

        def changed(table: Table, number: int = number) -> Schema:
            return replace(schema, tables=(*schema.tables[:number], table, *schema.tables[number + 1 :]))

        for at, limit in enumerate(table.limits):
            words = f"LIMIT {limit.limit} ({', '.join(limit.columns)}) of {table.name}"
            yield table.name, words, changed(replace(table, limits=table.limits[:at] + table.limits[at + 1 :]))
        for at, key in enumerate(table.foreign_keys):
            if key.max is not None:
                keys = (*table.foreign_keys[:at], replace(key, max=None), *table.foreign_keys[at + 1 :])
                yield table.name, f"MAX {key.max} of {table.name}", changed(replace(table, foreign_keys=keys))
            fewer = table.foreign_keys[:at] + table.foreign_keys[at + 1 :]
            words = f"FOREIGN KEY ({', '.join(key.columns)}) of {table.name}"
            yield table.name, words, changed(replace(table, foreign_keys=fewer))
        for at, columns in enumerate(table.uniques):
            if not any(key.table == table.name and key.referenced == columns for key in _references(schema)):
                uniques = table.uniques[:at] + table.uniques[at + 1 :]
                yield (
                    table.name,
                    f"UNIQUE ({', '.join(columns)}) of {table.name}",
                    changed(replace(table, uniques=uniques)),
                )


def _references(schema: Schema) -> Iterator[ForeignKey]:
    return (key for table in schema.tables for key in table.foreign_keys)


def costs_of(schema: Schema, texts: Mapping[str, str]) -> dict[str, Cost]:
    """Return what each bounded query takes over a schema."""
    compiled = piql.compile(piql_ddl(schema) + "".join(texts.values()))
    return {
        name: section_cost(query.plan, {})
        for name, query in compiled.queries.items()
        if query.plan is not None and not isinstance(query.plan, WritePlan)
    }


def _said(cost: Cost | None) -> str:
    return "no bound" if cost is None else f"{cost.requests} requests, {cost.nanoseconds / 1e6:.2f} ms"
