"""How much the operators of one execution are slow together, among the slowest executions.

    measured     the p99 of each join's whole execution, the scan before it included
    predicted    the p99 of the scan and of the join, composed under a correlation
    result       the correlation under which predicted p99s are as often above as below the measured ones

The correlation of all latencies would not do: on a cluster it may be a half or more, while the slowest hundredth hardly
correlates, as a pause hits one operator or the other. Predicted p99s would be too long.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from piql_profiler.measure.grid import JOINS, Operator, Point
from piql_profiler.measure.histogram import Curve, cumulative_of, quantile_of_curve
from piql_profiler.measure.measurements import Measurements
from piql_profiler.measure.precision import FEWEST_FOR_P99
from piql_profiler.measure.workload import LINK_BYTES
from piql_profiler.predictor.composition import Leaf, Serial, quantile_us

FEWEST = 5  # joins; of fewer no correlation is computed
STRONGEST = 0.8  # beyond, the composition's quadrature is no longer exact to 1 %
_CORRELATIONS = np.linspace(0.0, STRONGEST, 5)
_QUANTILE = 0.99


def correlation_of_slowest(measurements: Measurements, scan: Callable[[Point], Curve]) -> float | None:
    """The correlation of the operators of a query; None where there are too few joins.

    The measurements are of one interval, and `scan` returns the latencies of a scan in it. Predictions grow with the
    correlation, so it is interpolated linearly between a few values.
    """
    scan_curves: list[Curve] = []
    join_curves: list[Curve] = []
    whole_curves: list[Curve] = []
    for operator in JOINS:
        measured = measurements.operators.get(operator)
        if measured is None or measured.whole is None:
            continue
        for row, point in enumerate(measured.points):
            if not point.is_query and measured.whole[row].sum() >= FEWEST_FOR_P99:
                scan_curves.append(scan(Point(Operator.INDEX_SCAN, 1, point.child_rows, LINK_BYTES))[0])
                join_curves.append(cumulative_of(measured.counts[row])[0])
                whole_curves.append(cumulative_of(measured.whole[row][None, :])[0])
    if len(join_curves) < FEWEST:
        return None
    log_quantiles = np.log(quantile_of_curve(np.stack(whole_curves), _QUANTILE))
    parts = [np.stack(scan_curves), np.stack(join_curves)]
    composition = Serial((Leaf(0), Leaf(1)))
    predicted = (quantile_us(composition, parts, _QUANTILE, correlation=correlation) for correlation in _CORRELATIONS)
    errors = [float(np.median(np.log(latencies) - log_quantiles)) for latencies in predicted]
    return float(np.interp(0.0, np.maximum.accumulate(errors), _CORRELATIONS))
