"""What holds of each experiment that takes a store, whichever store it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from piql_profiler.experiments.experiment import Outcome
from piql_profiler.experiments.papers import BY_NAME, EXPERIMENTS
from piql_profiler.experiments.stage import Stage

SAMPLES = Path(__file__).parents[3] / "sample-apps"
ON_STORES = tuple(experiment.name for experiment in EXPERIMENTS if experiment.not_on_stores is None)
COUNTED = {  # claims about requests, whose figures no machine changes; the others are timed
    "paging": ("PAGINATE traverses an unbounded result one scale-independent interaction at a time",),
    "socc-figure-4": ("queries do the same work however many users there are",),
    "socc-key-order": (
        "with (owner, timestamp) random reads become a single sequential one",
        "inserts of thoughts cost less",
    ),
    "vldb-figure-7": ("the scale-independent plan makes a fixed number of random reads, whoever the target is",),
    "vldb-table-1-p99": (),
}

QUICK = "vldb-figure-7"
"""The one that `make test` runs on each store; the others take up to half a minute on a cluster."""

PARAMETERS = [pytest.param(name, marks=() if name == QUICK else pytest.mark.long) for name in ON_STORES]


def run_on(name: str, store: str) -> Outcome:
    """Run an experiment on a store as short as it can be, and check all that does not depend on the machine."""
    outcome = BY_NAME[name].on(Stage(SAMPLES, is_short=True, store=store))
    assert f"The store {store.partition('?')[0]}, reached from this machine" in outcome.how
    assert outcome.rows
    verdicts = {claim.paper: (claim.verdict, claim.ours) for claim in outcome.claims}
    for claim in COUNTED[name]:
        assert verdicts[claim][0] == "agrees", verdicts[claim]
    return outcome
