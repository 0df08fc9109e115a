"""How much the operators of one execution are slow together, where it matters: among the slowest of them.

    measured     the p99 of each join's whole execution, the scan below it included
    predicted    the p99 of the scan and of the join, composed under a correlation
    found        the correlation under which the predicted ones are as often above as below the measured ones

All latencies of a cluster may correlate by half or more, and their slowest hundredth hardly: a pause hits one operator
or the other. The correlation of all would then make p99s too long.
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

FEWEST = 5  # joins; fewer say too little
STRONGEST = 0.8  # beyond, the composition's quadrature is no longer exact to 1 %
_TRIED = np.linspace(0.0, STRONGEST, 5)
_QUANTILE = 0.99


def correlation_of_slowest(measurements: Measurements, scan: Callable[[Point], Curve]) -> float | None:
    """The correlation of the operators of a query; None where too few joins tell it.

    The measurements are of one interval, and `scan` gives the latencies of a scan in it. What is predicted grows with
    the correlation, so that between those tried a straight line will do.
    """
    below: list[Curve] = []
    own_curves: list[Curve] = []
    whole_curves: list[Curve] = []
    for operator in JOINS:
        measured = measurements.operators.get(operator)
        if measured is None or measured.whole is None:
            continue
        for at, point in enumerate(measured.points):
            if not point.is_query and measured.whole[at].sum() >= FEWEST_FOR_P99:
                below.append(scan(Point(Operator.INDEX_SCAN, 1, point.child_rows, LINK_BYTES))[0])
                own_curves.append(cumulative_of(measured.counts[at])[0])
                whole_curves.append(cumulative_of(measured.whole[at][None, :])[0])
    if len(own_curves) < FEWEST:
        return None
    log_quantiles = np.log(quantile_of_curve(np.stack(whole_curves), _QUANTILE))
    parts = [np.stack(below), np.stack(own_curves)]
    composition = Serial((Leaf(0), Leaf(1)))
    predicted = (quantile_us(composition, parts, _QUANTILE, correlation=correlation) for correlation in _TRIED)
    errors = [float(np.median(np.log(latencies) - log_quantiles)) for latencies in predicted]
    return float(np.interp(0.0, np.maximum.accumulate(errors), _TRIED))
