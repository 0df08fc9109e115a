"""The experiments of the papers, one file each, in the order in which they are listed."""

from __future__ import annotations

from piql_profiler.experiments.experiment import Experiment
from piql_profiler.experiments.papers import data_sizes, key_order, nodes, paging, popularity, strategies, table_1

EXPERIMENTS: tuple[Experiment, ...] = (
    data_sizes.EXPERIMENT,
    key_order.EXPERIMENT,
    table_1.EXPERIMENT,
    popularity.EXPERIMENT,
    nodes.EXPERIMENT,
    strategies.EXPERIMENT,
    paging.EXPERIMENT,
)
BY_NAME = {experiment.name: experiment for experiment in EXPERIMENTS}
