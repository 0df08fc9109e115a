from collections.abc import Callable

import pytest
from piql.compiler.result import CompiledQuery
from piql_profiler.measure.measurements import Measurements
from piql_profiler.predictor.curve import curve
from piql_profiler.predictor.heatmap import Slo, heatmap
from piql_profiler.predictor.model import Coverage, NotPredictable
from piql_profiler.predictor.models import build_model
from piql_profiler.predictor.predict import predict

Make = Callable[..., Measurements]
LIMIT, COUNT = "subscriptions.owner", "count"


def test_each_point_is_the_prediction_of_its_limit(thoughtstream: CompiledQuery, measured: Make) -> None:
    assert thoughtstream.plan is not None
    model = build_model(measured())
    found = curve(thoughtstream, model, LIMIT)
    for value, latency in zip(found.x.values, found.latency_ms, strict=True):
        alone = predict(thoughtstream.plan, model, {LIMIT: value}).p99_ms
        assert latency == pytest.approx(alone, rel=0.005)


def test_further_limits_are_fixed_where_they_are_put(thoughtstream: CompiledQuery, measured: Make) -> None:
    model = build_model(measured())
    row = heatmap(thoughtstream, model, LIMIT, COUNT, x_values=(10, 50, 100), y_values=(10,)).latency_ms[0]
    assert curve(thoughtstream, model, LIMIT, x_values=(10, 50, 100), values={COUNT: 10}).latency_ms == row
    assert curve(thoughtstream, model, LIMIT, x_values=(10, 50, 100), values={COUNT: 50}).latency_ms > row


def test_the_largest_safe_limit_keeps_the_slo_and_is_not_extrapolated(
    thoughtstream: CompiledQuery, measured: Make
) -> None:
    model = build_model(measured())
    asked = {"x_values": (10, 50, 100, 150, 501)}
    threshold = curve(thoughtstream, model, LIMIT, **asked).latency_ms[1]
    assert threshold is not None
    found = curve(thoughtstream, model, LIMIT, **asked, slo=Slo(0.99, threshold))
    assert (found.meets_slo, found.largest_safe) == ((True, True, False, False, False), 50)
    assert curve(thoughtstream, model, LIMIT, **asked, slo=Slo(0.99, 60_000)).largest_safe == 100
    assert curve(thoughtstream, model, LIMIT, **asked, slo=Slo(0.99, 1e-9)).largest_safe is None


def test_a_point_too_far_beyond_the_measured_ones_has_no_number(thoughtstream: CompiledQuery, measured: Make) -> None:
    found = curve(thoughtstream, build_model(measured()), LIMIT, x_values=(100, 501), slo=Slo(0.99, 60_000))
    assert (found.coverage[1], found.latency_ms[1]) == (Coverage.REFUSED, None)
    assert found.meets_slo == (True, False)


def test_a_limit_that_the_query_does_not_have_is_refused(thoughtstream: CompiledQuery, measured: Make) -> None:
    model = build_model(measured())
    with pytest.raises(NotPredictable, match="has no limit 'friends'"):
        curve(thoughtstream, model, "friends")
    with pytest.raises(NotPredictable, match="has no limit 'friends'"):
        curve(thoughtstream, model, LIMIT, values={"friends": 1})
