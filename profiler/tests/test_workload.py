from collections.abc import Iterator
from random import Random

import piql
import pytest
from piql_profiler.benchmark import measure, prepare
from piql_profiler.grid import GRIDS, Grid, Operator, Point
from piql_profiler.predictor.cardinalities import work_of
from piql_profiler.workload import RESERVED_PREFIX, Workload, with_reserved_prefix

GRID = Grid.product(
    "tiny", row_bytes=(60,), scan_rows=(1, 7), fk_child_rows=(5,), sorted_child_rows=(5, 6), sorted_rows=(3,)
)


@pytest.fixture(scope="module")
def database() -> Iterator[piql.Database]:
    with piql.connect("embedded:") as database:
        Workload(GRID).prepare(database)
        yield database


@pytest.mark.parametrize("name", GRIDS)
def test_the_tables_and_queries_of_each_grid_compile_without_a_word(name: str) -> None:
    compilation = piql.compile(Workload(GRIDS[name]).text)
    assert compilation.diagnostics == ()
    assert all(each.startswith(RESERVED_PREFIX) for each in (*compilation.tables, *compilation.queries))


@pytest.mark.parametrize("point", GRID.points, ids=str)
def test_an_execution_reads_exactly_what_its_point_says(database: piql.Database, point: Point) -> None:
    for seed in range(5):
        call = Workload(GRID).call(point, Random(seed))
        page = database.execute(call.query, call.parameters)
        is_scan = point.operator is Operator.INDEX_SCAN
        assert page.operations == (1 if is_scan else 1 + point.child_rows)
        is_lookup = point.operator is Operator.INDEX_FK_JOIN
        assert len(page.rows) == (point.child_rows if is_lookup else point.rows)


@pytest.mark.parametrize("point", GRID.points, ids=str)
def test_the_operator_that_is_measured_is_the_one_that_predictions_ask_for(
    database: piql.Database, point: Point
) -> None:
    query = database.deployment.compilation.queries[Workload(GRID).call(point, Random(1)).query]
    assert query.plan is not None
    last = work_of(query.plan).operators[-1]
    assert last.operator == point.operator.value
    assert last.point.row_bytes == point.row_bytes


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
    found = [measure(point, url, 0.05, grid=GRID, interval=3) for point in GRID.points]
    assert all(each.histogram.total >= 20 and each.interval == 3 for each in found)
    assert all(1.0 < each.histogram.quantile_us(0.5) < 1e6 for each in found)


@pytest.mark.parametrize(
    ("url", "own"),
    [
        ("cql://a,b:9042/shop", "cql://a,b:9042/shop?prefix=piql_profile_"),
        ("cql://a/shop?consistency=ONE&prefix=x_", "cql://a/shop?consistency=ONE&prefix=piql_profile_"),
    ],
)
def test_on_a_cluster_the_tables_stand_under_a_prefix_of_their_own(url: str, own: str) -> None:
    assert with_reserved_prefix(url) == own
