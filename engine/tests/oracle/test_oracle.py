"""What compiles gives DuckDB's rows within its bound; what does not says why. `PIQL_ORACLE_CASES` sets how many."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import piql
import pytest
from cluster.fixture import cluster, cluster_keyspace, cluster_url
from piql.compiler.physical.operators import LocalTop

from .campaign import Campaign, report, run_campaign
from .check import with_the_clock
from .side_by_side import CORES

__all__ = ["cluster", "cluster_keyspace", "cluster_url"]

CASES = int(os.environ.get("PIQL_ORACLE_CASES", "80"))
LONG_CASES = int(os.environ.get("PIQL_ORACLE_LONG_CASES", "10000"))
PARTS = 2
LONG_SEED = 1_000_000
CLUSTER_SEED = 2_000_000
STEPS_SEED = 3_000_000
RESULT = Path(__file__).resolve().parents[3] / "docs" / "measurements" / "oracle.md"


def by_single_steps(url: str) -> piql.Database:
    """Connect to a store without transactions, whatever is asked for."""
    return with_the_clock("stepwise:?synchronous=NORMAL")


def hold(campaign: Campaign) -> None:
    """Fail with the smallest programs that show what went wrong."""
    if campaign.failures:
        kinds = Counter(failure.kind for _, failure in campaign.failures)
        pytest.fail(f"{dict(kinds)}\n" + "\n".join(campaign.repros(most=2, seconds=20)), pytrace=False)
    assert campaign.accepted["all"] * 2 >= campaign.cases, "less than half of the queries are accepted"


@pytest.mark.parametrize("part", range(PARTS))
def test_what_compiles_gives_the_right_rows_within_its_bound(
    part: int, record_property: Callable[[str, object], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    if part % 2:  # the worlds are small: there would hardly be a LocalTop
        monkeypatch.setattr(LocalTop, "MANY_TIMES", 1)
    campaign = run_campaign(part * 10_000, CASES // PARTS)
    record_property("oracle accepted", campaign.accepted["all"])
    record_property("oracle cases", campaign.cases)
    hold(campaign)


@pytest.mark.long
@pytest.mark.timeout(3 * 3600)
def test_ten_thousand_queries_give_the_right_rows_within_their_bounds(
    record_property: Callable[[str, object], None],
) -> None:
    campaign = run_campaign(LONG_SEED, LONG_CASES, processes=CORES)
    record_property("oracle accepted", campaign.accepted["all"])
    record_property("oracle cases", campaign.cases)
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(report(campaign))
    hold(campaign)


def test_by_single_steps_some_queries_give_the_right_rows_within_their_bounds() -> None:
    """Six queries; the long test takes a thousand."""
    hold(run_campaign(STEPS_SEED, 6, connect=by_single_steps))


@pytest.mark.long
def test_by_single_steps_a_thousand_queries_give_the_right_rows_within_their_bounds() -> None:
    hold(run_campaign(STEPS_SEED + 10_000, 1000, connect=by_single_steps, processes=CORES))


@pytest.mark.cluster
@pytest.mark.parametrize("count", [12, pytest.param(30, marks=pytest.mark.long)])
def test_on_a_cluster_some_queries_give_the_right_rows(cluster_url: Callable[[], str], count: int) -> None:
    campaign = run_campaign(CLUSTER_SEED, count, connect=lambda _: with_the_clock(cluster_url()))
    if campaign.failures:
        pytest.fail("\n".join(f"seed {world.seed}: {failure}" for world, failure in campaign.failures), pytrace=False)
    assert campaign.accepted["all"] * 2 >= campaign.cases
