"""The tables and queries of each grid make exactly the requests that its points say."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import piql
import pytest
from piql.client.database import Observation
from piql_profiler.measure.benchmark import measure, prepare
from piql_profiler.measure.grid import GRIDS, LOOK, SHOW_AND_LOOK, Grid, Operator, Point
from piql_profiler.measure.workload import RESERVED_PREFIX, Workload, with_reserved_prefix
from piql_profiler.predictor.cardinalities import work_of

GRID = Grid.product(
    "tiny",
    row_bytes=(60,),
    columns=(1, 4),
    scan_rows=(1, 7),
    fk_child_rows=(1, 5),
    sorted_child_rows=(5, 6),
    sorted_rows=(3,),
    forward_child_rows=(5,),
    forward_rows=(3,),
    dereference_child_rows=(1, 4),
    write_entries=(0, 3),
    limit_groups=(1, 2),
    limit_rows=(1, 12),
    reference_looks=(2,),
)
READS = [point for point in GRID.points if not point.operator.is_of_writes]
WRITES = [point for point in GRID.points if point.operator.is_of_writes]


@pytest.fixture(scope="module")
def database() -> Iterator[piql.Database]:
    with piql.connect("embedded:") as database:
        Workload(GRID).prepare(database)
        yield database


@pytest.fixture(scope="module", params=["embedded:", "stepwise:"])
def observed(request: pytest.FixtureRequest) -> Iterator[tuple[piql.Database, list[Observation]]]:
    seen: list[Observation] = []
    with piql.connect(request.param, seen.append) as database:
        Workload(GRID).prepare(database)
        yield database, seen


@pytest.mark.parametrize("name", GRIDS)
def test_the_tables_and_queries_of_each_grid_compile_without_a_word_but_that_they_are_expensive(name: str) -> None:
    compilation = piql.compile(Workload(GRIDS[name]).text)
    said = [finding for finding in compilation.diagnostics if finding.code != "expensive-query"]
    assert {finding.severity for finding in said} <= {"info"}
    assert all(name.startswith(RESERVED_PREFIX) for name in (*compilation.tables, *compilation.queries))


@pytest.mark.parametrize("point", READS, ids=str)
def test_an_execution_reads_exactly_what_its_point_says(database: piql.Database, point: Point) -> None:
    for seed in range(5):
        call = Workload(GRID).call(point, Random(seed))
        page = database.execute(call.query, call.parameters)
        assert page.operations == (1 if point.is_query else 1 + point.child_rows)
        is_lookup = point.operator in (Operator.INDEX_FK_JOIN, Operator.DEREFERENCE)
        assert len(page.rows) == (point.child_rows if is_lookup else point.rows)


@pytest.mark.parametrize("point", READS, ids=str)
def test_the_operator_that_is_measured_is_the_one_that_predictions_ask_for(
    database: piql.Database, point: Point
) -> None:
    query = database.deployment.compilation.queries[Workload(GRID).call(point, Random(1)).query]
    assert query.plan is not None
    last = work_of(query.plan).operators[-1]
    assert last.point.operator is point.operator
    assert point.is_query or last.operator == point.operator.name_in_plans
    if point.operator is not Operator.DEREFERENCE:  # its rows have a TEXT, whose size no type says
        assert last.point.row_bytes == point.row_bytes


@pytest.mark.parametrize("point", WRITES, ids=str)
def test_a_write_does_just_what_its_point_says_and_leaves_nothing_behind(
    observed: tuple[piql.Database, list[Observation]], point: Point
) -> None:
    database, seen = observed
    workload = Workload(GRID)
    is_stepped = database.store.row_writes is not None
    for seed in range(3):
        call = workload.call(point, Random(seed))
        seen.clear()
        database.execute(call.query, call.parameters)
        parts = {operator.operator: operator for operator in seen[0].operators}
        assert sum(part.operations for part in parts.values()) == seen[0].operations
        assert sum(part.elapsed_ms for part in parts.values()) == pytest.approx(seen[0].elapsed_ms)
        n = point.child_rows
        match point.operator:
            case Operator.WRITE:
                assert parts["Insert"].operations == (2 + 2 * n if is_stepped and n > 1 else 1 + n)
            case Operator.LIMIT_CHECK:
                assert parts["LimitCheck"].operations == (2 * n if is_stepped and point.rows > 1 else n)
            case _:
                is_shown = is_stepped and point.rows == SHOW_AND_LOOK
                assert parts["ReferenceCheck"].operations == n + is_shown
        assert call.undo is not None
        database.execute(call.undo.query, call.undo.parameters)
        assert set(parts) <= {"Insert", "LimitCheck", "ReferenceCheck"}
    table = call.query.removesuffix("_insert")
    names = [name for (name,) in database.some_rows(table, ["name"], 1_000)]
    assert all(name.startswith("m") for name in names)  # the members of almost full groups, to begin with


@pytest.mark.parametrize("point", WRITES, ids=str)
def test_a_write_is_predicted_from_the_parts_that_it_is_observed_to_have(
    observed: tuple[piql.Database, list[Observation]], point: Point
) -> None:
    database, seen = observed
    call = Workload(GRID).call(point, Random(1))
    query = database.deployment.compilation.queries[call.query]
    assert query.plan is not None
    predicted = work_of(query.plan, is_stepped=database.store.row_writes is not None).operators
    seen.clear()
    database.execute(call.query, call.parameters)
    assert [(operator.path, operator.operator) for operator in predicted] == [
        (operator.path, operator.operator) for operator in seen[0].operators
    ]
    if point.operator is not Operator.WRITE:
        shown = SHOW_AND_LOOK if database.store.row_writes is not None else LOOK
        rows = min(point.rows, shown) if point.operator is Operator.REFERENCE_CHECK else point.rows
        assert predicted[-1].point == replace(point, rows=rows)
    assert call.undo is not None
    database.execute(call.undo.query, call.undo.parameters)


def test_data_that_is_there_is_not_loaded_again(database: piql.Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "load", lambda *arguments: pytest.fail("loaded again"))
    Workload(GRID).prepare(database)


def test_grids_have_names_of_their_own() -> None:
    assert Workload(GRID).prefix != Workload(GRIDS["small"]).prefix


def test_rows_too_small_to_hold_their_keys_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 32 bytes"):
        Workload(Grid.product("bad", row_bytes=(8,), scan_rows=(1,)))


def test_measuring_a_point_gives_its_latencies(tmp_path_factory: pytest.TempPathFactory) -> None:
    url = f"embedded:{tmp_path_factory.mktemp('store')}/measured.db?synchronous=NORMAL"
    prepare(GRID, url)
    measurements = measure(dict.fromkeys(GRID.points, 0.05), url, grid=GRID, interval=3)
    assert all(measurement.histogram.total >= 20 and measurement.interval == 3 for measurement in measurements)
    assert all(1.0 < measurement.histogram.quantile_us(0.5) < 1e6 for measurement in measurements)


@pytest.mark.parametrize(
    ("url", "own"),
    [
        ("cql://a,b:9042/shop", "cql://a,b:9042/shop?prefix=piql_profile_"),
        ("cql://a/shop?consistency=ONE&prefix=x_", "cql://a/shop?consistency=ONE&prefix=piql_profile_"),
    ],
)
def test_on_a_cluster_the_tables_stand_under_a_prefix_of_their_own(url: str, own: str) -> None:
    assert with_reserved_prefix(url) == own
