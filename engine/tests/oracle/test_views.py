"""Worlds with views: reads give what DuckDB makes of the tables, writes keep every view, both within their bounds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .campaign import run_campaign
from .side_by_side import CORES
from .test_oracle import hold
from .worlds_of_views import world_of_views

PARTS = 1
WORLDS = 2
LONG_WORLDS = 500
LONG_SEED = 100_000


@pytest.mark.parametrize("part", range(PARTS))
def test_views_are_read_and_kept_within_their_bounds(part: int, record_property: Callable[[str, object], None]) -> None:
    campaign = run_campaign(part * 1000, 0, worlds=WORLDS, world_of=world_of_views)
    record_property("oracle accepted", campaign.accepted["all"])
    record_property("oracle cases", campaign.cases)
    hold(campaign)
    assert campaign.accepted["view"] > 0


@pytest.mark.long
@pytest.mark.timeout(3 * 3600)
def test_five_hundred_worlds_of_views_are_read_and_kept_within_their_bounds() -> None:
    campaign = run_campaign(LONG_SEED, 0, worlds=LONG_WORLDS, processes=CORES, world_of=world_of_views)
    hold(campaign)
    assert campaign.accepted["a fix that reads a view"] >= campaign.worlds // 10
