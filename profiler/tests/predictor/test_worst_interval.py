"""The worst interval of a cell is found though most intervals are never composed."""

from collections.abc import Callable

import numpy as np
import pytest
from piql_profiler.measure.grid import GRIDS, Operator, Point
from piql_profiler.measure.measurements import Measurements
from piql_profiler.predictor.composition import Composition, Leaf, Parallel, Serial, quantile_us
from piql_profiler.predictor.models import build_model
from piql_profiler.predictor.worst_interval import FIRST, estimate, worst_of

CELLS, INTERVALS = 30, 35
COMPOSITIONS = (
    Leaf(0),
    Serial((Leaf(0), Leaf(1))),
    Parallel((Leaf(0), Leaf(1))),
    Serial((Leaf(0), Parallel((Leaf(1), Leaf(2))))),
)


@pytest.mark.parametrize("composition", COMPOSITIONS, ids=str)
@pytest.mark.parametrize("correlation", [0.0, 0.5])
def test_the_worst_interval_is_found_by_composing_few(
    measured: Callable[..., Measurements], composition: Composition, correlation: float
) -> None:
    def noisy(point: Point, interval: int, random: np.random.Generator) -> np.ndarray:
        size = 400 * point.child_rows**0.5 * random.normal(1.0, 0.05)
        return size * random.lognormal(0.0, random.uniform(0.3, 0.6), size=500)

    model = build_model(measured(GRIDS["reads"], INTERVALS, noisy))
    cells = [
        [
            model.curves(Point(Operator.INDEX_SCAN, 1, rows, 200)),
            model.curves(Point(Operator.SORTED_INDEX_JOIN, rows, 7, 200)),
            model.curves(Point(Operator.INDEX_FK_JOIN, 100 - rows, 1, 200)),
        ]
        for rows in range(5, 95, 90 // CELLS)
    ]
    asked: list[tuple[int, int]] = []

    def exact(rows: np.ndarray, intervals: np.ndarray) -> np.ndarray:
        asked.extend(zip(rows.tolist(), intervals.tolist(), strict=True))
        curves = [
            np.stack([cells[row][leaf][at] for row, at in zip(rows, intervals, strict=True)]) for leaf in range(3)
        ]
        return quantile_us(composition, curves, 0.99, correlation=correlation)

    about = np.stack([estimate(composition, cell, 0.99, correlation=correlation) for cell in cells])
    worst = worst_of(about, exact)
    assert len(set(asked)) == len(asked)
    assert CELLS * FIRST <= len(asked) < CELLS * INTERVALS / 2
    every = [quantile_us(composition, cell, 0.99, correlation=correlation).max() for cell in cells]
    assert worst == pytest.approx(every, rel=0.001)


def test_of_few_intervals_all_are_composed() -> None:
    asked: list[tuple[int, int]] = []

    def exact(rows: np.ndarray, intervals: np.ndarray) -> np.ndarray:
        asked.extend(zip(rows.tolist(), intervals.tolist(), strict=True))
        return 10.0 * rows - intervals

    assert worst_of(np.ones((2, 3)), exact).tolist() == [0.0, 10.0]
    assert len(asked) == 6
