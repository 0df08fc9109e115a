"""Connections to a real cluster are cut while pages are read over them: a page is whole, or there is a typed error."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable

import piql
import pytest

from .cutting import cut_one
from .load import until_it_works
from .test_speculative_copies import STREAM

pytestmark = pytest.mark.cluster
WHOLE = list(range(39, -1, -1))


@pytest.mark.parametrize(
    "options",
    [
        "fan_out=parallel",
        *(pytest.param(option, marks=pytest.mark.long) for option in ("fan_out=grouped", "driver=rust")),
    ],
)
def test_a_page_is_whole_or_refused_though_connections_are_cut_under_its_fan_out(
    cluster_url: Callable[[], str], options: str
) -> None:
    with piql.connect(f"{cluster_url()}&{options}") as db:
        db.deploy(piql.compile(STREAM))
        db.load("follows", [{"who": 0, "whom": whom} for whom in range(40)])
        db.load("posts", [{"who": whom, "at": whom} for whom in range(40)])
        is_over, cuts = threading.Event(), list[int]()

        def cut() -> None:
            chance = random.Random(1)
            while not is_over.wait(chance.uniform(0.02, 0.3)):
                if cut_one(chance):
                    cuts.append(1)

        cutter = threading.Thread(target=cut)
        cutter.start()
        try:
            while len(cuts) < 12:
                try:
                    rows = db.execute("stream", {"me": 0}).rows
                except piql.StoreUnavailable:
                    continue  # how many are refused depends on how long the machine takes between two cuts
                assert [row["at"] for row in rows] == WHOLE
        finally:
            is_over.set()
            cutter.join()
        until_it_works(lambda: db.execute("stream", {"me": 0}))
        assert [row["at"] for row in db.execute("stream", {"me": 0}).rows] == WHOLE
