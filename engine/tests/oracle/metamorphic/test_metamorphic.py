"""Answers held against each other: each relation holds over random worlds, and fails where an answer is wrong."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import pytest
from piql.compiler.optimizer.analysis.effort import Cost, step_of
from piql.compiler.physical.operators import LocalTop

from ..contents import Contents
from ..piql_text import piql_query
from ..query import And, Between, Col, Compare, Const, In, Not, Or, Select, Source
from ..query_generator import QueryCase
from ..schema import Schema
from ..side_by_side import CORES, results
from ..values import INT
from ..world import random_world
from ..worlds_of_views import world_of_views
from .campaign import Tally, report, run_metamorphic, shown
from .declaring import Declared, costs_of, declared_in, declaring_world, is_dearer, without_each
from .planned_costs import PlannedCosts
from .relations import Relation, Rows, relations
from .spellings import spellings

QUERIES = 50
FIRST_SEED, LONG_SEED, LONG_QUERIES = 6_000_000, 7_000_000, 20_000
LAW = "\n## What is declared makes no query dearer\n"
RESULT = Path(__file__).resolve().parents[4] / "docs" / "measurements" / "metamorphic.md"


def hold(tally: Tally) -> None:
    assert not tally.breaches, shown(tally.breaches)
    assert min(tally.held[name] for name in ("TLP", "NoREC", "TLP of aggregates", "negated twice")) > 10


@pytest.mark.parametrize("part", [0, pytest.param(1, marks=pytest.mark.long)])
def test_relations_between_answers_hold(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if part == 0:  # the worlds are small: there would hardly be a LocalTop
        monkeypatch.setattr(LocalTop, "MANY_TIMES", 1)
    hold(run_metamorphic(FIRST_SEED + part * 10_000, QUERIES))


@pytest.mark.long
@pytest.mark.timeout(3 * 3600)
def test_relations_between_the_answers_of_twenty_thousand_queries_hold() -> None:
    started = time.perf_counter()
    tally = run_metamorphic(LONG_SEED, LONG_QUERIES, processes=CORES)
    _, heading, law = RESULT.read_text().partition(LAW)  # which is measured by the tests below
    RESULT.write_text(report(tally, LONG_SEED, time.perf_counter() - started) + heading + law)
    hold(tally)


def relation_named(name: str) -> Relation:
    """Return the first relation of a kind among the queries of some worlds."""
    for seed in range(100):
        world = random_world(seed)
        contents = Contents(world.schema, world.rows)
        for case in world.reads:
            for relation in relations(random.Random(seed), world.schema, contents, case):
                if relation.name == name and not getattr(case.query, "is_distinct", False):
                    return relation
    raise AssertionError(name)


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("TLP", [[(1,), (2,), (2,)], [(1,)], [(2,)], [(2,)]], [[(1,), (2,), (2,)], [(1,)], [(2,)], []]),
        ("NoREC", [[(1, True), (2, False), (3, None)], [(1,)]], [[(1, True), (2, False)], [(1,), (2,)]]),
        ("TLP of aggregates", [[(3,)], [(1,)], [(2,)], [(0,)]], [[(3,)], [(1,)], [(1,)], [(0,)]]),
        (
            "TLP of aggregates",
            [[(3, 6, 1, 3)], [(1, 3, 3, 3)], [(2, 3, 1, 2)], [(0, None, None, None)]],
            [[(3, 6, 1, 3)], [(1, 3, 3, 3)], [(2, 3, 2, 2)], [(0, None, None, None)]],
        ),
    ],
)
def test_a_relation_fails_where_a_row_is_wrong(name: str, right: list[Rows], wrong: list[Rows]) -> None:
    relation = relation_named(name)
    assert relation.broken(right) is None
    assert relation.broken(wrong) is not None


def test_a_query_is_said_in_each_way_that_changes_its_text() -> None:
    one, two = Const(1, INT), Const(2, INT)
    column = Col("t", "a")
    query = Select(
        (),
        (Source("from", "t", "t"), Source("inner", "u", "u", Compare("=", Col("u", "b"), column))),
        And((In(column, (one, two), False), Between(column, one, two, False))),
    )
    queries = {name: case.query for name, case in spellings(random.Random(1), QueryCase("q", query, ({},)))}
    assert set(queries) == {"IN as OR", "BETWEEN as two ends", "negated twice", "JOIN as comma"}
    assert queries["IN as OR"].where.operands[0] == Or((Compare("=", column, one), Compare("=", column, two)))  # type: ignore[union-attr]
    assert queries["negated twice"].sources[1].on == Not(Compare("<>", Col("u", "b"), column))  # type: ignore[union-attr]
    assert queries["JOIN as comma"].sources[1].kind == "comma"  # type: ignore[union-attr]


DECLARED_WORLDS = 2
LONG_DECLARED_WORLDS, LEAST_OF_A_WORLD = 1_000, 3
# In these worlds a limit or UNIQUE hid what other tests could find; the further ones are a long test.
MENDED_WORLDS = (3_100_024, 20_000_011)
FURTHER_MENDED_WORLDS = (
    *(3_100_080, 3_200_033, 3_200_055, 24_000_028, 25_000_013, 25_000_057),
    *(50_001_351, 50_001_956, 50_002_134, 50_002_873, 50_003_186),
)


def test_what_is_declared_makes_no_query_dearer() -> None:
    assert_none_is_dearer([*range(DECLARED_WORLDS), *MENDED_WORLDS], least=60)


@pytest.mark.long
def test_what_is_declared_makes_no_query_of_the_further_mended_worlds_dearer() -> None:
    assert_none_is_dearer(FURTHER_MENDED_WORLDS, least=100, processes=CORES)


@pytest.mark.long
@pytest.mark.parametrize(("seed", "query", "declared"), [(52_000_767, "q8", "MAX 30 of posts")])
def test_a_query_whose_reads_share_an_index_is_not_made_dearer(seed: int, query: str, declared: str) -> None:
    schema, texts = declaring_world(random_world(seed), random.Random(f"declaring {seed}"))
    smaller = next(smaller for _, name, smaller in without_each(schema) if name == declared)
    with_it, without_it = (costs_of(tables, {query: texts[query]})[query] for tables in (schema, smaller))
    assert not is_dearer(with_it, without_it)


def test_what_is_declared_makes_no_query_of_views_dearer() -> None:
    assert_none_is_dearer(range(DECLARED_WORLDS), least=40, declared_of=partial(declared_in, world_of=world_of_views))


@pytest.mark.long
def test_one_declaration_of_each_of_a_thousand_worlds_makes_no_query_dearer() -> None:
    """Which worlds and which declarations is drawn anew each time; what fails names its seed."""
    first = 100_000_000 + random.SystemRandom().randrange(100_000) * LONG_DECLARED_WORLDS
    seeds = range(first, first + LONG_DECLARED_WORLDS)
    least = LEAST_OF_A_WORLD * LONG_DECLARED_WORLDS
    assert_none_is_dearer(seeds, least, processes=CORES, declared_of=partial(declared_in, drawn=1))


@pytest.mark.parametrize("seed", [1, 3_100_024])
def test_a_query_that_is_only_planned_costs_what_it_costs_compiled(seed: int) -> None:
    world = random_world(seed)
    texts = {case.name: piql_query(case.name, case.query, case.style) for case in world.reads}
    planned = PlannedCosts()(world.schema, texts)
    compiled: dict[str, Cost] = {}
    for name, text in texts.items():
        compiled |= costs_of(world.schema, {name: text})
    assert planned == compiled
    assert len(planned) > 5


def assert_none_is_dearer(
    seeds: Sequence[int], least: int, processes: int = 1, declared_of: Callable[[int], Declared] = declared_in
) -> None:
    tally = Declared()
    for declared in results(declared_of, seeds, processes):
        tally.add(declared)
    assert not tally.dearer, "\n\n".join(map(str, tally.dearer[:3]))
    assert tally.held > least
    assert tally.cheaper > 0


@pytest.mark.parametrize(
    ("requests", "time", "is_dearer"),
    [(2, 111, True), (2, 109, False), (3, 109, True), (3, 100, True), (3, 60, False), (1, 140, True)],
)
def test_a_declaration_that_makes_a_query_dearer_is_seen(requests: int, time: int, is_dearer: bool) -> None:
    whole: list[Schema] = []

    def costs(schema: Schema, texts: Mapping[str, str]) -> dict[str, Cost]:
        whole.append(schema)
        with_all = Cost(step_of(time), requests, 1, time)
        return {"q0": with_all if schema == whole[0] else Cost(step_of(100), 2, 1, 100)}

    breaches = declared_in(2, costs).dearer
    assert bool(breaches) is is_dearer
    assert {breach.query for breach in breaches} <= {"q0"}
