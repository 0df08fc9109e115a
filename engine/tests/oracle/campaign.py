"""Many worlds one after the other, and what came of them together."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from itertools import count

import duckdb
import piql

from .check import Failure, Outcome, run_world, with_the_clock
from .repro import repro
from .shrink import shrink
from .side_by_side import results
from .world import World, random_world


@dataclass
class Campaign:
    """The sums over all worlds, and a world for each failure."""

    first_seed: int
    world_of: Callable[[int], World] = random_world
    worlds: int = 0
    accepted: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    executions: int = 0
    incomparable: int = 0
    seconds: float = 0
    rewritten: int = 0
    failures: list[tuple[World, Failure]] = field(default_factory=list)

    @property
    def cases(self) -> int:
        return self.accepted["all"] + self.rejected["all"]

    def by_kind(self) -> dict[str, list[tuple[World, Failure]]]:
        kinds: dict[str, list[tuple[World, Failure]]] = {}
        for world, failure in self.failures:
            kinds.setdefault(failure.kind, []).append((world, failure))
        return dict(sorted(kinds.items(), key=lambda pair: -len(pair[1])))

    def repros(self, most: int, seconds: float = 30) -> Iterator[str]:
        """Give, for each kind of failure, the smallest program that shows it."""
        for failures in list(self.by_kind().values())[:most]:
            world, failure = failures[0]
            yield repro(*shrink(world, failure, seconds))


def run_campaign(
    first_seed: int,
    cases: int,
    worlds: int | None = None,
    connect: Callable[[str], piql.Database] = with_the_clock,
    processes: int = 1,
    world_of: Callable[[int], World] = random_world,
) -> Campaign:
    """Run worlds, each on a store of its own, until so many queries have been tried.

    The result is the same in however many processes.
    """
    campaign = Campaign(first_seed, world_of)
    started = time.perf_counter()
    run = partial(outcome_of, connect=connect, world_of=world_of)
    with closing(results(run, count(first_seed), processes)) as outcomes:
        while campaign.worlds < worlds if worlds is not None else campaign.cases < cases:
            _add(campaign, next(outcomes))
    campaign.seconds = time.perf_counter() - started
    return campaign


def outcome_of(
    seed: int, connect: Callable[[str], piql.Database], world_of: Callable[[int], World] = random_world
) -> Outcome:
    return run_world(world_of(seed), connect)


def _add(campaign: Campaign, outcome: Outcome) -> None:
    seed = campaign.first_seed + campaign.worlds
    campaign.worlds += 1
    campaign.accepted += outcome.accepted
    campaign.rejected += outcome.rejected
    campaign.codes += outcome.codes
    campaign.executions += outcome.executions
    campaign.incomparable += outcome.incomparable
    campaign.rewritten += outcome.rewritten
    campaign.failures += [(campaign.world_of(seed), failure) for failure in outcome.failures]


def report(campaign: Campaign) -> str:
    """Write the result as a page."""
    accepted, cases = campaign.accepted["all"], campaign.cases
    lines = [
        "# The oracle: answers compared with DuckDB",
        "",
        f"{cases:,} queries on {campaign.worlds:,} random schemas (seeds {campaign.first_seed} to "
        f"{campaign.first_seed + campaign.worlds - 1}), {campaign.executions:,} executions under three strategies, "
        f"in {campaign.seconds:,.0f} s. piql {piql.__version__}, DuckDB {duckdb.__version__}.",
        "",
        f"- accepted: **{accepted:,}** ({accepted / max(cases, 1):.0%})",
        f"- refused with a reason: {campaign.rejected['all']:,}",
        f"- said in another way (order of predicates and joins, sides, aliases, a test twice): {campaign.rewritten:,}",
        f"- wrong rows, requests over the bound, fixes that do not help, crashes, another bound for another way to say "
        f"the same: **{len(campaign.failures)}**",
        f"- not compared, because DuckDB's numbers overflowed: {campaign.incomparable:,} executions",
        "",
        "| construct | accepted | refused |",
        "| --- | ---: | ---: |",
    ]
    for name in sorted(set(campaign.accepted) | set(campaign.rejected), key=str.lower):
        if name != "all":
            lines.append(f"| {name} | {campaign.accepted[name]:,} | {campaign.rejected[name]:,} |")
    lines += ["", "| refused for | times |", "| --- | ---: |"]
    lines += [f"| {code} | {count:,} |" for code, count in campaign.codes.most_common()]
    for kind, failures in campaign.by_kind().items():
        lines += ["", f"FAILED {len(failures)}×: {kind}, seeds {sorted({world.seed for world, _ in failures})[:10]}"]
    return "\n".join(lines) + "\n"
