"""The named grids, and grids of one's own."""

import pytest
from piql_profiler.measure.grid import GRIDS, Grid, Operator, Point


def test_the_small_grid_is_a_handful_of_points_up_to_a_hundred_feeds_of_fifty_and_the_writes_of_scadr() -> None:
    points = GRIDS["small"].points
    assert len([point for point in points if not point.operator.is_of_writes]) <= 18
    assert len(points) <= 24
    assert Point(Operator.SORTED_INDEX_JOIN, 100, 50, 200) in points
    assert Point(Operator.INDEX_SCAN, 1, 100, 200) in points


def test_the_default_grid_has_forty_five_points_of_scans_and_joins_and_all_other_operators() -> None:
    assert len(GRIDS["reads"].points) == 45
    assert len([point for point in GRIDS["reads"].points if point.operator is Operator.FORWARD_JOIN]) == 10
    assert set(GRIDS["reads"].measured) < set(GRIDS["default"].measured)
    assert {point.operator for point in GRIDS["default"].points} == set(Operator)


def test_a_grid_is_built_from_its_levels() -> None:
    grid = Grid.from_levels({"row_bytes": [100], "scan_rows": [1, 5], "fk_child_rows": [3]})
    assert [str(point) for point in grid.points] == [
        "IndexFKJoin of 3 × 100 B",
        "IndexScan of 1 × 100 B",
        "IndexScan of 5 × 100 B",
    ]


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ({"row_bytes": [100], "scans": [1]}, "unknown dimension scans"),
        ({"scan_rows": [1]}, "row_bytes"),
        ({"row_bytes": [100]}, "no points"),
        ({"row_bytes": [100], "scan_rows": [0]}, "counts from 1"),
    ],
)
def test_a_grid_that_makes_no_sense_is_refused(levels: dict[str, list[int]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Grid.from_levels(levels)
