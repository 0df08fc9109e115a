"""Runs worlds of the oracle, and holds the answers of each query against those of queries that are related to it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import count

import piql

from ..check import STRATEGIES, with_the_clock
from ..contents import Contents
from ..query import Select
from ..query_generator import QueryCase
from ..side_by_side import results
from ..world import World, random_world
from .relations import Relation, Rows, bag, relations
from .spellings import spellings

MOST_PAGES = 400
BUCKETS = 2


@dataclass(frozen=True, slots=True)
class Breach:
    """A relation that did not hold: in which world, of which query, and what was seen."""

    relation: str
    seed: int
    query: str
    detail: str


@dataclass
class Tally:
    """What came of worlds: how often each relation was held against rows, and what was refused."""

    queries: int = 0
    executions: int = 0
    held: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    groups: Counter[str] = field(default_factory=Counter)
    breaches: list[Breach] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.queries += other.queries
        self.executions += other.executions
        self.held += other.held
        self.refused += other.refused
        self.groups += other.groups
        self.breaches += other.breaches


def run_metamorphic(first_seed: int, queries: int, processes: int = 1) -> Tally:
    """Run worlds from a seed on until so many queries have been executed; equal in however many processes."""
    tally = Tally()
    with closing(results(tally_of, count(first_seed), processes)) as tallies:
        while tally.queries < queries:
            tally.add(next(tallies))
    return tally


def tally_of(seed: int) -> Tally:
    """Run the world of a seed, on an embedded store or, every fourth, on one without transactions."""
    tally = Tally()
    run = _WorldRun(random_world(seed, writes=0), tally)
    run.run("stepwise:?synchronous=NORMAL" if seed % 4 == 3 else "embedded:")
    return tally


class _WorldRun:
    def __init__(self, world: World, tally: Tally) -> None:
        self.world, self.tally = world, tally
        self.rng = random.Random(f"metamorphic {world.seed}")
        self.contents = Contents(world.schema, world.rows)

    def breach(self, relation: str, query: str, detail: str) -> None:
        self.tally.breaches.append(Breach(relation, self.world.seed, query, detail))

    def run(self, url: str) -> None:
        spelled = [
            relation
            for case in self.world.reads
            for relation in relations(self.rng, self.world.schema, self.contents, case)
        ]
        spelled_cases = [(case, list(spellings(self.rng, case))) for case in self.world.reads]
        cases = [case for relation in spelled for case in relation.cases]
        cases += [case for case, variants in spelled_cases for case in (case, *(variant for _, variant in variants))]
        cases = list({case.name: case for case in cases}.values())
        tried = piql.compile(self.world.source(*cases))
        bounded = [case for case in cases if tried.queries[case.name].is_bounded]
        deployed = piql.compile(self.world.source(*bounded))
        self.tally.queries += len(bounded)
        self.count_full_groups()
        with with_the_clock(url) as db:
            db.deploy(deployed)
            for table in self.world.schema.tables:
                if rows := self.world.rows.get(table.name, ()):
                    db.load(table.name, rows)
            names = {case.name for case in bounded}
            for relation in spelled:
                if {case.name for case in relation.cases} <= names:
                    self.hold(db, deployed, relation)
                elif relation.cases[0].name in names:
                    self.tally.refused[relation.name] += 1
            for case, variants in spelled_cases:
                if case.name in names:
                    for spelling, variant in variants:
                        self.hold_spelling(db, deployed, case, spelling, variant, names)
            self.hold_indexes(db, deployed, [case for case in self.world.reads if case.name in names], url)

    def count_full_groups(self) -> None:
        """Count the groups of rows that are at their limit exactly: there bounds are met."""
        for table in self.world.schema.tables:
            for limit in table.all_limits:
                if limit.is_token:
                    continue
                groups = Counter(
                    repr([row[name] for name in limit.columns]) for row in self.contents.all_rows(table.name)
                )
                self.tally.groups["full"] += sum(1 for size in groups.values() if size == limit.limit)
                self.tally.groups["all"] += len(groups)

    def hold(self, db: piql.Database, deployed: piql.Compilation, relation: Relation) -> None:
        for sample in range(len(relation.cases[0].samples)):
            strategy = STRATEGIES[(self.world.seed + sample) % len(STRATEGIES)]
            answers = [self.rows(db, deployed, case, sample, strategy) for case in relation.cases]
            if any(answer is None for answer in answers):
                return
            self.tally.held[relation.name] += 1
            broken = relation.broken([answer for answer in answers if answer is not None])
            if broken is not None:
                text = self.world.source(*relation.cases)
                self.breach(relation.name, relation.cases[0].name, f"{strategy}, sample {sample}: {broken}\n{text}")
                return

    def hold_spelling(
        self,
        db: piql.Database,
        deployed: piql.Compilation,
        case: QueryCase,
        spelling: str,
        other: QueryCase,
        names: set[str],
    ) -> None:
        assert isinstance(case.query, Select)
        if other.name not in names:
            self.breach(spelling, case.name, f"refused when said so\n{self.world.source(case, other)}")
            return
        bound, same = deployed.queries[case.name].bound, deployed.queries[other.name].bound
        assert bound is not None
        assert same is not None
        self.tally.held[spelling] += 1
        if (bound.operations, bound.rows) != (same.operations, same.rows):
            self.breach(
                spelling,
                case.name,
                f"{bound.operations} = {bound.formula}, {bound.rows} rows; "
                f"{same.operations} = {same.formula}, {same.rows} rows\n{self.world.source(case, other)}",
            )
            return
        if case.query.stop is not None:  # which rows are the first may differ among equal ones
            return
        for sample in range(len(case.samples)):
            answers = [self.rows(db, deployed, one_case, sample, "parallel") for one_case in (case, other)]
            if None not in answers and bag(answers[0] or ()) != bag(answers[1] or ()):
                self.breach(spelling, case.name, f"{answers}\n{self.world.source(case, other)}")
                return

    def hold_indexes(self, db: piql.Database, deployed: piql.Compilation, cases: Sequence[QueryCase], url: str) -> None:
        """Hold queries without a stop to what they give on a store that has an index more on each table."""
        columns = [(table.name, self.rng.choice(table.columns).name) for table in self.world.schema.tables]
        more = "".join(
            f"CREATE INDEX more_{table} ON {table} ({column}) BUCKETS {BUCKETS};\n" for table, column in columns
        )
        tried = piql.compile(self.world.source(*cases) + more)
        for case in cases:
            self.hold_bound(deployed.queries[case.name], tried.queries[case.name], case, more)
        free = [
            case for case in cases if getattr(case.query, "stop", None) is None and tried.queries[case.name].is_bounded
        ]
        indexed = piql.compile(self.world.source(*free) + more)
        if indexed.has_errors:
            self.breach("an index more", "", "; ".join(diagnostic.message for diagnostic in indexed.diagnostics) + more)
            return
        with with_the_clock(url) as second:
            second.deploy(indexed)
            for table in self.world.schema.tables:
                if rows := self.world.rows.get(table.name, ()):
                    second.load(table.name, rows)
            for case in free:
                answers = [
                    self.rows(store, compilation, case, 0, "parallel")
                    for store, compilation in ((db, deployed), (second, indexed))
                ]
                if None in answers:
                    return
                self.tally.held["an index more"] += 1
                if bag(answers[0] or ()) != bag(answers[1] or ()):
                    self.breach("an index more", case.name, f"{answers}\n{self.world.source(case)}{more}")

    def hold_bound(self, without: piql.CompiledQuery, query: piql.CompiledQuery, case: QueryCase, more: str) -> None:
        """An index in b BUCKETS takes no bound away, and costs b requests in the place of one at most."""
        assert without.bound is not None
        self.tally.held["the bound beside an index more"] += 1
        if query.bound is None or query.bound.operations > BUCKETS * without.bound.operations:
            seen = "no bound" if query.bound is None else f"{query.bound.operations} = {query.bound.formula}"
            detail = f"{seen}; without it {without.bound.operations} = {without.bound.formula}"
            self.breach("the bound beside an index more", case.name, f"{detail}\n{self.world.source(case)}{more}")

    def rows(
        self, db: piql.Database, deployed: piql.Compilation, case: QueryCase, sample: int, strategy: str
    ) -> Rows | None:
        """Execute a query, all its pages, within its bound; None where that was not to be had, mostly with a breach."""
        bound = deployed.queries[case.name].bound
        assert bound is not None
        rows: list[tuple[object, ...]] = []
        cursor: str | None = None
        for _ in range(MOST_PAGES):
            self.tally.executions += 1
            try:
                page = db.execute(case.name, case.given(case.samples[sample]), cursor=cursor, strategy=strategy)  # type: ignore[arg-type]
            except piql.NumberOutOfRange:
                return None  # what is computed of the ends of a type may not fit it
            except piql.PiqlError as refusal:
                self.breach(f"{type(refusal).__name__} from a read", case.name, f"{refusal}\n{self.world.source(case)}")
                return None
            if page.operations > bound.operations or len(page.rows) > bound.rows:
                detail = f"{page.operations} of {bound.operations} requests, {len(page.rows)} of {bound.rows} rows"
                self.breach("over the bound", case.name, f"{strategy}: {detail}\n{self.world.source(case)}")
                return None
            rows += [tuple(row.values()) for row in page.rows]
            cursor = page.cursor
            if cursor is None:
                return rows
        self.breach("pages without end", case.name, self.world.source(case))
        return None


def report(tally: Tally, first_seed: int, seconds: float) -> str:
    """Write the result as a page."""
    lines = [
        "# Metamorphic tests: answers compared with each other",
        "",
        f"{tally.queries:,} bounded queries on random schemas (from seed {first_seed}), {tally.executions:,} "
        f"executions in {seconds:,.0f} s; every fourth schema on a store without transactions. "
        f"piql {piql.__version__}.",
        "",
        "TLP: the rows of a query are those of its partitions by p, NOT p and p IS NULL. NoREC: WHERE p finds the rows "
        "for which p is TRUE as a value. The others: the same query said otherwise has the same rows and bound.",
        "",
        f"- relations that did not hold, requests or rows over a bound, errors: **{len(tally.breaches)}**",
        f"- groups of rows at their limit exactly: {tally.groups['full']:,} of {tally.groups['all']:,}",
        "",
        "| relation | held | a part of it has no bound |",
        "| --- | ---: | ---: |",
    ]
    for name in sorted(set(tally.held) | set(tally.refused)):
        lines.append(f"| {name} | {tally.held[name]:,} | {tally.refused[name]:,} |")
    for name, times in Counter(breach.relation for breach in tally.breaches).most_common():
        seeds = sorted({breach.seed for breach in tally.breaches if breach.relation == name})[:10]
        lines += ["", f"FAILED {times}×: {name}, seeds {seeds}"]
    return "\n".join(lines) + "\n"


def shown(breaches: Sequence[Breach], most: int = 3) -> str:
    """Write the first breaches for a test's message."""
    return "\n\n".join(
        f"{breach.relation}, seed {breach.seed}, {breach.query}: {breach.detail}" for breach in breaches[:most]
    )
