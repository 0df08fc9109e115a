"""The experiments of the papers, one file each, in the order in which they are listed."""

from __future__ import annotations

from piql_profiler.experiments.experiment import Experiment
from piql_profiler.experiments.papers import (
    data_sizes,
    key_order,
    nodes,
    paging,
    policies,
    popularity,
    s3_kills,
    s3_tables,
    strategies,
    table_1,
    table_1_p99,
)

EXPERIMENTS: tuple[Experiment, ...] = (
    data_sizes.EXPERIMENT,
    key_order.EXPERIMENT,
    policies.EXPERIMENT,
    table_1.EXPERIMENT,
    table_1_p99.EXPERIMENT,
    popularity.EXPERIMENT,
    nodes.EXPERIMENT,
    strategies.EXPERIMENT,
    paging.EXPERIMENT,
    s3_tables.EXPERIMENT,
    s3_kills.EXPERIMENT,
)
BY_NAME = {experiment.name: experiment for experiment in EXPERIMENTS}
