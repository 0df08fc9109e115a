"""Safe limits held against every setting of small limits, over stores of random costs."""

import math

import numpy as np
import piql
import pytest
from piql.compiler.result import CompiledQuery
from piql_profiler.measure.grid import Grid, Point
from piql_profiler.measure.histogram import Histogram
from piql_profiler.measure.measurements import Measurement, Measurements
from piql_profiler.predictor.cardinalities import axes, work_of
from piql_profiler.predictor.heatmap import Slo
from piql_profiler.predictor.model import Coverage, Model
from piql_profiler.predictor.models import build_model
from piql_profiler.predictor.predict import coverage_of, predict
from piql_profiler.predictor.safe_limits import SafeLimits, pareto, safe_limits

QUERIES = piql.compile("""
CREATE TABLE users (name VARCHAR(20) PRIMARY KEY, town VARCHAR(20));
CREATE TABLE follows (
  owner VARCHAR(20) REFERENCES users, target VARCHAR(20) REFERENCES users,
  PRIMARY KEY (owner, target), CARDINALITY LIMIT 6 (owner)
);
CREATE TABLE posts (owner VARCHAR(20), at INT, text VARCHAR(140), PRIMARY KEY (owner, at));
CREATE QUERY stream AS SELECT p.at, p.text FROM follows f JOIN posts p ON p.owner = f.target
WHERE f.owner = [1: me] ORDER BY p.at DESC LIMIT [2: count] MAX 4;
CREATE QUERY friends AS SELECT u.name, u.town FROM follows f JOIN users u ON u.name = f.target WHERE f.owner = [1: me];
CREATE QUERY latest AS SELECT at FROM posts WHERE owner = [1: me] ORDER BY at DESC LIMIT [2: count] MAX 5;
""").queries
LIMIT, COUNT = "follows.owner", "count"
GRID = Grid.product(
    "eight",
    row_bytes=(40, 200),
    scan_rows=(1, 4, 8),
    fk_child_rows=(1, 4, 8),
    sorted_child_rows=(1, 4, 8),
    sorted_rows=(1, 3, 8),
)
MOST = 10  # beyond all that was measured
STORES = [(seed, share) for seed in range(6) for share in (0.35, 0.8)]


def model_of(seed: int) -> Model:
    random = np.random.default_rng(seed)
    base, request, row = random.uniform(20, 300), random.uniform(5, 200), random.uniform(1, 60)

    def seen(point: Point) -> Histogram:
        median = base + request * point.child_rows + row * point.child_rows * point.rows
        return Histogram.of(median * random.lognormal(0.0, 0.3, size=600))

    return build_model(Measurements.of([Measurement(point, 0, seen(point), 0.0, 1.0) for point in GRID.points], 30.0))


def slo_of(query: CompiledQuery, model: Model, share: float) -> Slo:
    """An SLO between what the query takes at its least and at the limits it has."""
    assert query.plan is not None
    largest = predict(query.plan, model).p99_ms
    least = predict(query.plan, model, dict.fromkeys(symbols_of(query), 1)).p99_ms
    return Slo(0.99, least + share * (largest - least) * 1.3)


def symbols_of(query: CompiledQuery) -> list[str]:
    return [axis.symbol for axis in axes(query)]


def keeps(query: CompiledQuery, model: Model, slo: Slo, **values: int) -> bool:
    assert query.plan is not None
    given = {LIMIT if name == "limit" else name: value for name, value in values.items()}
    if coverage_of(work_of(query.plan, given), model) >= Coverage.EXTRAPOLATED:
        return False
    return predict(query.plan, model, given).p99_ms <= slo.threshold_ms


@pytest.mark.parametrize(("seed", "share"), STORES)
def test_the_pairs_are_all_that_keep_the_slo_and_cannot_grow(seed: int, share: float) -> None:
    query, model = QUERIES["stream"], model_of(seed)
    slo = slo_of(query, model, share)
    safe_pairs = {
        (limit, count)
        for limit in range(1, MOST)
        for count in range(1, MOST)
        if keeps(query, model, slo, limit=limit, count=count)
    }
    edge = {
        (limit, count)
        for limit, count in safe_pairs
        if not any((a, b) != (limit, count) and a >= limit and b >= count for a, b in safe_pairs)
    }
    assert set(pareto(query, model, slo, LIMIT, COUNT)) == edge
    assert len(edge) > 0


@pytest.mark.parametrize(("seed", "share"), STORES)
def test_limits_of_a_schema_keep_every_slo_and_the_binding_query_stops_them(seed: int, share: float) -> None:
    model = model_of(seed)
    slos = {name: slo_of(query, model, share) for name, query in QUERIES.items()}
    result = safe_limits(list(QUERIES.values()), model, slos)
    assert result.breaking == tuple(name for name, query in QUERIES.items() if not keeps(query, model, slos[name]))
    for limit in result.limits:
        name = "limit" if limit.axis.symbol == LIMIT else limit.axis.symbol
        queries_of_limit = {query: QUERIES[query] for query in limit.queries}
        safe_values = [
            value
            for value in range(1, MOST)
            if all(keeps(query, model, slos[key], **{name: value}) for key, query in queries_of_limit.items())
        ]
        assert limit.largest == max(safe_values, default=None)
        assert safe_values == list(range(1, len(safe_values) + 1))
        if limit.binding is not None:
            beyond = (limit.largest or 0) + 1
            assert limit.binding in queries_of_limit
            assert not keeps(queries_of_limit[limit.binding], model, slos[limit.binding], **{name: beyond})
    _check_growth(result, model, slos)


def _check_growth(safe: SafeLimits, model: Model, slos: dict[str, Slo]) -> None:
    def all_keep(percent: int) -> list[str]:
        return [
            name
            for name, query in QUERIES.items()
            if not keeps(
                query,
                model,
                slos[name],
                **{
                    "limit" if axis.symbol == LIMIT else axis.symbol: max(1, axis.current * percent // 100)
                    for axis in axes(query)
                },
            )
        ]

    percent = 0 if safe.growth is None else round(safe.growth * 100)
    if percent:
        assert all_keep(percent) == []
    stopped = all_keep(percent + 1)
    assert stopped
    assert safe.binding is None or safe.binding in stopped
    assert not math.isnan(safe.growth or 0.0)
