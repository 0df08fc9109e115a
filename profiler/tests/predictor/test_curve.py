"""The predicted latency over one limit."""

from collections.abc import Callable

import pytest
from piql.compiler.result import CompiledQuery
from piql_profiler.measure.measurements import Measurements
from piql_profiler.predictor.heatmap import Slo, heatmap
from piql_profiler.predictor.model import Coverage, NotPredictable
from piql_profiler.predictor.models import build_model
from piql_profiler.predictor.predict import predict

Make = Callable[..., Measurements]
LIMIT, COUNT = "subscriptions.owner", "count"


def test_each_point_is_the_prediction_of_its_limit(thoughtstream: CompiledQuery, measured: Make) -> None:
    assert thoughtstream.plan is not None
    model = build_model(measured())
    curve = heatmap(thoughtstream, model, LIMIT)
    for value, latency in zip(curve.x.values, curve.latency_ms[0], strict=True):
        alone = predict(thoughtstream.plan, model, {LIMIT: value}).p99_ms
        assert latency == pytest.approx(alone, rel=0.005)


def test_further_limits_are_fixed_where_they_are_put(thoughtstream: CompiledQuery, measured: Make) -> None:
    model = build_model(measured())
    rows = heatmap(thoughtstream, model, LIMIT, COUNT, x_values=(10, 50, 100), y_values=(10,)).latency_ms
    assert heatmap(thoughtstream, model, LIMIT, x_values=(10, 50, 100), values={COUNT: 10}).latency_ms == rows
    assert heatmap(thoughtstream, model, LIMIT, x_values=(10, 50, 100), values={COUNT: 50}).latency_ms > rows


def test_the_largest_safe_limit_keeps_the_slo_and_is_not_extrapolated(
    thoughtstream: CompiledQuery, measured: Make
) -> None:
    model = build_model(measured())
    asked = {"x_values": (10, 50, 100, 150, 501)}
    threshold = heatmap(thoughtstream, model, LIMIT, **asked).latency_ms[0][1]
    assert threshold is not None
    curve = heatmap(thoughtstream, model, LIMIT, **asked, slo=Slo(0.99, threshold))
    assert (curve.meets_slo, curve.largest_safe) == (((True, True, False, False, False),), ((50, None),))
    assert heatmap(thoughtstream, model, LIMIT, **asked, slo=Slo(0.99, 60_000)).largest_safe == ((100, None),)
    assert heatmap(thoughtstream, model, LIMIT, **asked, slo=Slo(0.99, 1e-9)).largest_safe == ()


def test_a_point_too_far_beyond_the_measured_ones_has_no_number(thoughtstream: CompiledQuery, measured: Make) -> None:
    curve = heatmap(thoughtstream, build_model(measured()), LIMIT, x_values=(100, 501), slo=Slo(0.99, 60_000))
    assert (curve.coverage[0][1], curve.latency_ms[0][1]) == (Coverage.REFUSED, None)
    assert curve.meets_slo == ((True, False),)


def test_a_limit_that_the_query_does_not_have_is_refused(thoughtstream: CompiledQuery, measured: Make) -> None:
    model = build_model(measured())
    with pytest.raises(NotPredictable, match="has no limit 'friends'"):
        heatmap(thoughtstream, model, "friends")
    with pytest.raises(NotPredictable, match="has no limit 'friends'"):
        heatmap(thoughtstream, model, LIMIT, values={"friends": 1})
