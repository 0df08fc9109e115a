"""Plans made by hand and profiles of a stated truth, so that the model is tested without a compiler or a store."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from piql.compiler.logical.expressions import ColumnRef, Parameter
from piql.compiler.logical.operators import Count, SortKey
from piql.compiler.physical.operators import IndexScan, KeyPart, LocalStop, RowLimit, SortedIndexJoin
from piql.compiler.result import CompiledQuery
from piql.schema.catalog import CardinalityLimit, Column, Kind, SqlType, Table
from piql.text.source import Source
from piql_profiler.measure.grid import GRIDS, Grid, Operator, Point
from piql_profiler.measure.histogram import Histogram
from piql_profiler.measure.measurements import Measurement, Measurements

settings.register_profile("any examples", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same examples", settings.get_profile("any examples"), derandomize=True)
settings.load_profile("same examples")

NAME = SqlType(Kind.VARCHAR, 32)
SCHEMA = Source("CARDINALITY LIMIT 100 (owner)", "schema.piql")
QUERY = Source("thoughtstream … LIMIT [2: count] MAX 50", "thoughtstream.piql")


@pytest.fixture
def thoughtstream() -> CompiledQuery:
    """SCADr's thoughtstream: 100 subscriptions of one owner, then up to 50 thoughts of each."""
    number = SCHEMA.text.index("100")
    limit = CardinalityLimit(
        100, ("owner",), span=SCHEMA.span(0, len(SCHEMA.text)), limit_span=SCHEMA.span(number, number + 3)
    )
    columns = (Column("owner", NAME, False), Column("target", NAME, False))
    subscriptions = Table("subscriptions", columns, ("owner", "target"), limits=(limit,))
    posted = SqlType(Kind.TIMESTAMP)
    text = SqlType(Kind.VARCHAR, 140)
    thoughts = Table(
        "thoughts",
        (Column("owner", NAME, False), Column("posted", posted, False), Column("text", text, True)),
        ("owner", "posted"),
    )
    owner, target = (ColumnRef(relation="s", name=name, type=NAME) for name in ("owner", "target"))
    fields = (
        ColumnRef(relation="t", name="owner", type=NAME),
        ColumnRef(relation="t", name="posted", type=posted),
        ColumnRef(relation="t", name="text", type=text),
    )
    stop, end = QUERY.text.index("LIMIT"), len(QUERY.text)
    count = Count(max=50, parameter="count", span=QUERY.span(stop, end), max_span=QUERY.span(end - 2, end))
    order = (SortKey(expression=fields[1], ascending=False),)
    scan = IndexScan(
        table=subscriptions,
        alias="s",
        index=subscriptions.primary_index(),
        prefix=(KeyPart(column="owner", values=(Parameter(name="me", type=NAME),)),),
        limit=RowLimit(max=100, because=limit),
        fields=(owner, target),
    )
    join = SortedIndexJoin(
        child=scan,
        table=thoughts,
        alias="t",
        index=thoughts.primary_index(),
        prefix=(KeyPart(column="owner", values=(target,)),),
        is_ascending=False,
        order=order,
        is_merged=True,
        limit=RowLimit(max=50, count=count),
        fields=(owner, target, *fields),
    )
    plan = LocalStop(child=join, count=count, order=order, fields=join.fields)
    span = QUERY.span(0, len(QUERY.text))
    return CompiledQuery("thoughtstream", "select", QUERY.text, span, span, plan=plan)


Truth = Callable[[Point, int, np.random.Generator], np.ndarray]


def lognormal_truth(point: Point, interval: int, random: np.random.Generator) -> np.ndarray:
    """A request costs 50 µs, a row 5 µs, a byte 2 ns, each execution varied by a log-normal factor."""
    requests, rows = point.child_rows, point.child_rows * point.rows
    median = 100 + 50 * requests + 5 * rows + 0.002 * rows * point.row_bytes
    return median * (1 + 0.1 * interval) * random.lognormal(0.0, 0.3, size=2000)


@pytest.fixture
def measured() -> Callable[..., Measurements]:
    """Make the measurements that a store of a stated truth would give."""

    def make(
        grid: Grid = GRIDS["small"], intervals: int = 3, truth: Truth = lognormal_truth, seed: int = 7
    ) -> Measurements:
        random = np.random.default_rng(seed)
        cells = [
            Measurement(point, interval, Histogram.of(truth(point, interval, random)), 0.0, 2.0)
            for interval in range(intervals)
            for point in sorted(grid.points, key=lambda point: point.operator.is_of_writes)  # draws of reads stay
        ]
        return Measurements.of(cells, 2.0)

    return make


@pytest.fixture
def feed_point() -> Callable[[int, int], Point]:
    """Make points of a sorted join of 200-byte rows."""
    return lambda child_rows, rows: Point(Operator.SORTED_INDEX_JOIN, child_rows, rows, 200)
