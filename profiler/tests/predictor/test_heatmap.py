"""The predicted latency over two limits: cells, what is safe, what is extrapolated or refused."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from piql.compiler.result import CompiledQuery
from piql_profiler.measure.grid import GRIDS, Point
from piql_profiler.measure.measurements import Measurements
from piql_profiler.predictor.heatmap import Slo, default_values, heatmap
from piql_profiler.predictor.model import Coverage, NotPredictable
from piql_profiler.predictor.models import MODELS, build_model
from piql_profiler.predictor.predict import predict

Make = Callable[..., Measurements]
LIMIT, COUNT = "subscriptions.owner", "count"


@pytest.mark.parametrize("intervals", [1, 3, 7])
def test_each_cell_is_the_prediction_of_its_setting(
    thoughtstream: CompiledQuery, measured: Make, intervals: int
) -> None:
    """The worst interval is found exactly; beyond four intervals the median one is chosen by its estimate."""
    assert thoughtstream.plan is not None
    model = build_model(measured(intervals=intervals))
    heat = heatmap(thoughtstream, model, LIMIT, COUNT)
    for at_y, count in enumerate(heat.y.values):
        for at_x, limit in enumerate(heat.x.values):
            alone = predict(thoughtstream.plan, model, {LIMIT: limit, COUNT: count})
            assert heat.latency_ms[at_y][at_x] == pytest.approx(alone.p99_ms, rel=0.005)
            assert heat.typical_ms[at_y][at_x] == pytest.approx(alone.typical_ms, rel=0.005 if intervals < 5 else 0.05)


@pytest.mark.parametrize("name", MODELS)
def test_latency_grows_along_both_axes_however_noisy_the_profile(
    name: str, thoughtstream: CompiledQuery, measured: Make
) -> None:
    def noise(point: Point, interval: int, random: np.random.Generator) -> np.ndarray:
        return random.lognormal(random.uniform(4, 9), random.uniform(0.1, 1), size=50)

    @settings(max_examples=15, deadline=None)
    @given(st.integers(0, 10_000))
    def check(seed: int) -> None:
        model = build_model(measured(truth=noise, seed=seed, intervals=2), name)
        heat = heatmap(thoughtstream, model, LIMIT, COUNT, x_values=(1, 7, 60, 140), y_values=(2, 30, 50, 70))
        cells = np.array(heat.latency_ms)
        assert (np.diff(cells, axis=0) >= 0).all()
        assert (np.diff(cells, axis=1) >= 0).all()

    check()


def test_cells_say_how_they_are_known(thoughtstream: CompiledQuery, measured: Make) -> None:
    heat = heatmap(thoughtstream, build_model(measured()), LIMIT, COUNT, x_values=(50, 70, 150), y_values=(10, 50))
    row = (Coverage.MEASURED, Coverage.INTERPOLATED, Coverage.EXTRAPOLATED)
    assert heat.coverage == (row, row)
    assert "lies beyond the largest measured point" in heat.warnings[0]


def test_the_largest_safe_limits_are_those_that_cannot_grow_alone(thoughtstream: CompiledQuery, measured: Make) -> None:
    model = build_model(measured())
    every = heatmap(thoughtstream, model, LIMIT, COUNT, x_values=(10, 50, 100), y_values=(10, 50))
    threshold = every.latency_ms[0][2]
    heat = heatmap(
        thoughtstream, model, LIMIT, COUNT, x_values=(10, 50, 100), y_values=(10, 50), slo=Slo(0.99, threshold)
    )
    assert heat.meets_slo is not None
    assert heat.meets_slo[0] == (True, True, True)
    assert (100, 10) in heat.largest_safe
    assert (50, 10) not in heat.largest_safe
    for x, y in heat.largest_safe:
        assert not any(
            heat.meets_slo[at_y][at_x] and (bigger_x, bigger_y) != (x, y) and bigger_x >= x and bigger_y >= y
            for at_y, bigger_y in enumerate(heat.y.values)
            for at_x, bigger_x in enumerate(heat.x.values)
        )


def test_an_extrapolated_cell_is_never_called_safe(thoughtstream: CompiledQuery, measured: Make) -> None:
    heat = heatmap(
        thoughtstream, build_model(measured()), LIMIT, COUNT, x_values=(100, 200), y_values=(50,), slo=Slo(0.99, 60_000)
    )
    assert heat.largest_safe == ((100, 50),)


def test_cells_far_beyond_the_grid_are_refused_and_counted(thoughtstream: CompiledQuery, measured: Make) -> None:
    heat = heatmap(
        thoughtstream,
        build_model(measured()),
        LIMIT,
        COUNT,
        x_values=(100, 500, 501),
        y_values=(10, 50),
        slo=Slo(0.99, 60_000),
    )
    assert [[cell is None for cell in row] for row in heat.latency_ms] == [[False, False, True]] * 2
    assert {row[2] for row in heat.coverage} == {Coverage.REFUSED}
    assert heat.meets_slo == ((True, True, False),) * 2
    assert "2 of 6 cells ask for more than 5 times" in heat.warnings[1]
    with pytest.raises(NotPredictable, match="profile a larger grid"):
        heatmap(thoughtstream, build_model(measured()), LIMIT, COUNT, x_values=(600, 700))


def test_an_axis_that_the_query_does_not_have_is_refused(thoughtstream: CompiledQuery, measured: Make) -> None:
    model = build_model(measured())
    with pytest.raises(NotPredictable, match="has no limit 'friends'"):
        heatmap(thoughtstream, model, "friends", COUNT)
    with pytest.raises(NotPredictable, match="has no limit 'friends'"):
        heatmap(thoughtstream, model, LIMIT, COUNT, values={"friends": 3})
    with pytest.raises(NotPredictable, match="two different limits"):
        heatmap(thoughtstream, model, COUNT, COUNT)
    with pytest.raises(NotPredictable, match="at least 1"):
        heatmap(thoughtstream, model, LIMIT, COUNT, x_values=(0, 1))


@pytest.mark.parametrize(
    ("current", "values"), [(100, (20, 40, 60, 80, 100)), (50, (10, 20, 30, 40, 50)), (2, (1, 2)), (1, (1,))]
)
def test_an_axis_without_values_takes_even_ones_up_to_the_current(current: int, values: tuple[int, ...]) -> None:
    assert default_values(current) == values


def test_the_small_grid_covers_thoughtstream(thoughtstream: CompiledQuery, measured: Make) -> None:
    heat = heatmap(thoughtstream, build_model(measured(GRIDS["small"])), LIMIT, COUNT)
    assert Coverage.EXTRAPOLATED not in {state for row in heat.coverage for state in row}
