"""What writes are predicted from: their parts, on stores with transactions and without."""

from collections.abc import Callable
from pathlib import Path

import piql
import pytest
from piql_profiler.measure.grid import GRIDS, Grid
from piql_profiler.measure.measurements import Measurements
from piql_profiler.predictor.cardinalities import axes, work_of
from piql_profiler.predictor.heatmap import heatmap
from piql_profiler.predictor.model import NotPredictable
from piql_profiler.predictor.models import MODELS, build_model
from piql_profiler.predictor.pages import predict_page
from piql_profiler.predictor.predict import predict

Make = Callable[..., Measurements]
SCADR = piql.compile(Path(__file__).parents[3] / "sample-apps" / "scadr")
SHOP = piql.compile("""
CREATE TABLE users (name VARCHAR(16) PRIMARY KEY, email VARCHAR(40), UNIQUE (email));
CREATE TABLE orders (id INT PRIMARY KEY, buyer VARCHAR(16) REFERENCES users, day DATE, CARDINALITY LIMIT 30 (buyer));
CREATE QUERY ofDay AS SELECT id FROM orders WHERE day = [day] ORDER BY id LIMIT 10;
CREATE QUERY enrol AS INSERT INTO users (name, email) VALUES ([name], [email]);
CREATE QUERY leave AS DELETE FROM users WHERE name = [name];
CREATE QUERY mail AS UPDATE users SET email = [email] WHERE name = [name];
CREATE QUERY buy AS INSERT INTO orders (id, buyer, day) VALUES ([id], [buyer], [day]);
CREATE QUERY move AS UPDATE orders SET buyer = [buyer] WHERE id = [id];
CREATE QUERY delay AS UPDATE orders SET day = [day] WHERE id = [id];
CREATE QUERY cancel AS DELETE FROM orders WHERE id = [id];
""")


def parts(compilation: piql.Compilation, name: str, *, is_stepped: bool) -> list[str]:
    plan = compilation.queries[name].plan
    assert plan is not None
    return [str(operator.point) for operator in work_of(plan, is_stepped=is_stepped).operators]


@pytest.mark.parametrize(
    ("name", "with_transactions", "by_steps"),
    [
        ("addUser", ["Write of 96 B with 0 index entries"], ["Write of 96 B with 0 index entries"]),
        (
            "subscribe",
            ["Write of 65 B with 1 index entry", "LimitCheck of 1 × 100", "ReferenceCheck of 2"],
            [
                "Write of 65 B with 1 index entry",
                "LimitCheck of 1 × 100",
                "ReferenceCheck of 2, the record shown before",
            ],
        ),
        ("approve", ["Write of 65 B with 1 index entry"], ["Write of 65 B with 1 index entry"]),
        (
            "unsubscribe",
            ["Write of 65 B with 1 index entry"],
            ["Write of 65 B with 1 index entry", "LimitCheck of 1 × 100"],
        ),
        (
            "postThought",
            ["Write of 180 B with 0 index entries", "ReferenceCheck of 1"],
            ["Write of 180 B with 0 index entries", "ReferenceCheck of 1, the record shown before"],
        ),
    ],
)
def test_the_writes_of_scadr_are_taken_apart(name: str, with_transactions: list[str], by_steps: list[str]) -> None:
    assert parts(SCADR, name, is_stepped=False) == with_transactions
    assert parts(SCADR, name, is_stepped=True) == by_steps


def test_what_moves_is_put_and_deleted_enters_a_group_and_leaves_one() -> None:
    assert parts(SHOP, "move", is_stepped=True) == [
        "Write of 24 B with 2 index entries",
        "LimitCheck of 2 × 30",
        "ReferenceCheck of 1",
    ]
    assert parts(SHOP, "move", is_stepped=False)[1] == "LimitCheck of 1 × 30"
    assert parts(SHOP, "delay", is_stepped=True) == ["Write of 24 B with 2 index entries"]


def test_the_groups_of_a_view_are_written_with_the_row_or_behind_it() -> None:
    visits = piql.compile("""
    CREATE TABLE visits (id INT PRIMARY KEY, page VARCHAR(16) NOT NULL, seconds INT NOT NULL);
    CREATE VIEW byPage AS SELECT page, COUNT(*) AS visits, SUM(seconds) AS seconds FROM visits GROUP BY page;
    CREATE QUERY best AS SELECT page FROM byPage ORDER BY visits DESC LIMIT 3;
    CREATE QUERY visit AS INSERT INTO visits (id, page, seconds) VALUES ([id], [page], [seconds]);
    CREATE QUERY move AS UPDATE visits SET page = [page] WHERE id = [id];
    """)
    assert parts(visits, "visit", is_stepped=False) == ["Write of 24 B with 3 index entries"]
    assert parts(visits, "move", is_stepped=False) == ["Write of 24 B with 6 index entries"]
    group = "Write of 32 B with 2 index entries"
    assert parts(visits, "visit", is_stepped=True) == ["Write of 24 B with 0 index entries", group]
    assert parts(visits, "move", is_stepped=True) == ["Write of 24 B with 0 index entries", group, group]


def test_who_leaves_is_marked_before_those_that_name_him_are_looked_for() -> None:
    assert parts(SHOP, "leave", is_stepped=True) == [
        "Write of 56 B with 1 index entry",
        "LimitCheck of 1 × 10",  # the place of the UNIQUE email is looked for and given back
        "ReferenceCheck of 1, the record shown before",
    ]
    assert parts(SHOP, "leave", is_stepped=False) == ["Write of 56 B with 1 index entry", "ReferenceCheck of 1"]


@pytest.mark.parametrize("model", MODELS)
def test_a_write_is_predicted_and_its_parts_add_up(measured: Make, model: str) -> None:
    plan = SCADR.queries["subscribe"].plan
    assert plan is not None
    prediction = predict(plan, build_model(measured(GRIDS["default"]), model))
    assert [operator.operator for operator in prediction.operators] == ["Insert", "LimitCheck", "ReferenceCheck"]
    assert sum(operator.blame_ms for operator in prediction.operators) == pytest.approx(prediction.p99_ms)
    assert prediction.p99_ms > max(operator.p99_ms for operator in prediction.operators)


def test_pages_may_hold_writes(measured: Make) -> None:
    model = build_model(measured(GRIDS["default"]))
    plans = {name: query.plan for name, query in SCADR.queries.items() if query.plan is not None}
    page = predict_page((("postThought",), ("myThoughts",)), plans, model)
    assert page.p99_ms > predict(plans["postThought"], model).p99_ms


def test_a_profile_without_writes_predicts_none(measured: Make) -> None:
    plan = SCADR.queries["addUser"].plan
    assert plan is not None
    with pytest.raises(NotPredictable, match="no measurement of Write: profile a grid that holds it"):
        predict(plan, build_model(measured(GRIDS["reads"])))
    with pytest.raises(NotPredictable, match="no limit 'users'"):
        work_of(plan, {"users": 3})


def test_a_write_has_no_map(measured: Make) -> None:
    assert axes(SCADR.queries["subscribe"]) == ()
    with pytest.raises(NotPredictable, match="subscribe is a write"):
        heatmap(SCADR.queries["subscribe"], build_model(measured()), "a", "b")


def test_a_dereference_is_taken_for_a_foreign_key_join_where_none_was_measured(measured: Make) -> None:
    compilation = piql.compile("""
CREATE TABLE post (id INT PRIMARY KEY, author INT, body TEXT);
CREATE QUERY q AS SELECT id, body FROM post WHERE author = [me] ORDER BY id LIMIT 10;
""")
    plan = compilation.queries["q"].plan
    assert plan is not None
    assert [operator.operator for operator in work_of(plan).operators] == ["IndexScan", "Dereference"]
    reads = measured(GRIDS["reads"])
    assert predict(plan, build_model(reads)).p99_ms > 0


def test_a_get_is_taken_for_a_scan_of_one_row_where_no_get_was_measured(measured: Make) -> None:
    plan = SCADR.queries["findUser"].plan
    assert plan is not None
    assert [str(operator.point) for operator in work_of(plan).operators] == ["IndexFKJoin of 1 × 96 B"]
    assert predict(plan, build_model(measured(Grid.product("scans", row_bytes=(100,), scan_rows=(1, 10))))).p99_ms > 0
