"""INSERT of several rows: all or nothing with transactions, in order and with the row named without."""

from collections.abc import Iterator
from typing import Any

import piql
import pytest
from piql.runtime.deployment import Redeployed
from piql.runtime.writing.stepped.writer import SteppedWriter

TEXT = """
CREATE TABLE item (id INT PRIMARY KEY, town VARCHAR(9) NULL, n INT NOT NULL, CARDINALITY LIMIT 2 (town));
CREATE QUERY three AS
INSERT INTO item (id, town, n) VALUES (1, [1: town], 1), ([2: second], [1: town], 2), (3, [3: third], 3);
CREATE QUERY counted AS
INSERT INTO item (id, n) VALUES (1, 1), (2, [1: n]), (1, 5)
ON CONFLICT (id) DO UPDATE SET n = n + EXCLUDED.n RETURNING id, n;
CREATE QUERY listed AS INSERT INTO item (id, town, n) VALUES [1: rows] MAX 5;
CREATE QUERY everything AS SELECT id, town, n FROM item WHERE id IN (1, 2, 3) ORDER BY id;
"""
COMPILATION = piql.compile(TEXT)


@pytest.fixture(params=("embedded:", "stepwise:"))
def db(request: pytest.FixtureRequest) -> Iterator[piql.Database]:
    with piql.connect(request.param) as database:
        database.deploy(COMPILATION)
        yield database


def everything(db: piql.Database) -> list[int]:
    return [row["id"] for row in db.execute("everything").rows]


def test_all_rows_are_written_within_the_sum_of_their_bounds(db: piql.Database) -> None:
    page = db.execute("three", {"town": "Oslo", "second": 2, "third": None})
    bound = COMPILATION.queries["three"].bound
    assert bound is not None
    assert page.rows_affected == 3
    assert 9 <= page.operations <= bound.operations
    assert everything(db) == [1, 2, 3]


def test_a_row_that_is_refused_is_named_and_nothing_or_what_is_before_it_stays(db: piql.Database) -> None:
    with pytest.raises(piql.CardinalityViolation, match="row 3 of 3: ") as refusal:
        db.execute("three", {"town": "Oslo", "second": 2, "third": "Oslo"})
    assert refusal.value.__cause__ is None, "an error that is its own cause ends no walk along the causes"
    is_whole = db.store.row_writes is None
    assert everything(db) == ([] if is_whole else [1, 2])
    assert ("the rows before it are written" in str(refusal.value)) is not is_whole


def test_a_value_that_does_not_fit_is_refused_before_any_row_is_written(db: piql.Database) -> None:
    with pytest.raises(piql.ConstraintViolation):
        db.execute("three", {"town": "Oslo", "second": None, "third": None})
    with pytest.raises(piql.PiqlError, match=r"row 3 of 3: .*holds 9"):
        db.execute("three", {"town": "Oslo", "second": 2, "third": "a town too long"})
    assert everything(db) == []


def test_rows_are_written_one_after_another_so_that_one_may_meet_the_one_before(db: piql.Database) -> None:
    rows = [{"id": 1, "n": 1}, {"id": 2, "n": 7}, {"id": 1, "n": 6}]
    assert db.execute("counted", {"n": 7}).rows == rows


def test_the_rows_of_a_list_are_written_within_the_bound_of_its_max(db: piql.Database) -> None:
    page = db.execute("listed", {"rows": [[1, "Oslo", 1], {"id": 2, "n": 2, "town": None}]})
    bound = COMPILATION.queries["listed"].bound
    assert bound is not None
    assert bound.formula == "12·rows"
    assert page.rows_affected == 2
    assert page.operations <= bound.operations
    assert db.execute("listed", {"rows": []}).rows_affected == 0
    assert everything(db) == [1, 2]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("abc", r"is 'abc': expected a list of at most 5 rows \(id, town, n\)"),
        ([[1, "Oslo"]], "row 1 of 1 has 2 values"),
        ([{"id": 1, "n": 2}], "row 1 of 1 has no value for town"),
        ([{"id": 1, "n": 2, "town": "a", "no": 1}], "'no', which is no column"),
        ([[1, "Oslo", 1], [2, "Oslo", "two"]], r"row 2 of 2: \[rows.n\] is 'two': expected an INT"),
        ([[number, None, 1] for number in range(6)], "holds 6 rows"),
    ],
)
def test_a_list_that_does_not_fit_is_refused_before_any_row_is_written(
    db: piql.Database, rows: object, message: str
) -> None:
    with pytest.raises(piql.InvalidParameter, match=message):
        db.execute("listed", {"rows": rows})
    with pytest.raises(piql.ConstraintViolation, match=r"row 2 of 2: item\.n is NOT NULL"):
        db.execute("listed", {"rows": [[1, "Oslo", 1], [2, "Oslo", None]]})
    assert everything(db) == []


def test_each_row_of_a_list_has_ids_of_its_own_and_all_have_one_time() -> None:
    text = """
    CREATE TABLE note (id UUID PRIMARY KEY DEFAULT UUID(), at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, text VARCHAR(9));
    CREATE QUERY add AS INSERT INTO note (text) VALUES [1: rows] MAX 5 RETURNING id, at, text;
    """
    with piql.connect("embedded:") as db:
        db.deploy(piql.compile(text))
        rows = db.execute("add", {"rows": [["a"], ["b"], ["c"]]}).rows
    assert [row["text"] for row in rows] == ["a", "b", "c"]
    assert len({row["id"] for row in rows}) == 3
    assert len({row["at"] for row in rows}) == 1


@pytest.mark.parametrize(
    ("hindrance", "reason"),
    [
        (Redeployed(), "the schema was changed meanwhile"),
        (piql.RepairPending("too much to settle"), "too much to settle"),
    ],
)
def test_rows_that_are_written_are_not_written_again_where_a_later_row_is_hindered(
    monkeypatch: pytest.MonkeyPatch, hindrance: Exception, reason: str
) -> None:
    calls: list[object] = []
    write = SteppedWriter.write

    def hindered(self: SteppedWriter, key: Any, decide: Any, meter: Any) -> None:
        calls.append(key)
        if len(calls) == 2:
            raise hindrance
        write(self, key, decide, meter)

    with piql.connect("stepwise:") as db:
        db.deploy(COMPILATION)
        monkeypatch.setattr(SteppedWriter, "write", hindered)
        with pytest.raises(piql.StoreUnavailable, match=f"row 2 of 3: {reason}; the rows before it are written"):
            db.execute("counted", {"n": 7})
        assert calls == [(1,), (2,)]
        assert everything(db) == [1]


@pytest.mark.parametrize(
    ("values", "code", "message"),
    [
        ("(1, 2), (3)", "value-count", "2 columns, but 1 value"),
        ("(1, 2), (3, 4, 5)", "value-count", "2 columns, but 3 values"),
        ("(1, 2), (3, 'x')", "type-mismatch", "'x' is not an INT"),
        ("(1, 2), (3, NULL)", "null-value", "cannot be NULL"),
        (", ".join(f"({number}, 1)" for number in range(101)), "bulk-write", "at most 100 rows"),
        ("(1, 2),", "syntax-error", "expected `(`"),
    ],
)
def test_what_is_wrong_with_a_later_row_is_said(values: str, code: str, message: str) -> None:
    (finding,) = piql.compile(TEXT + f"CREATE QUERY q AS INSERT INTO item (id, n) VALUES {values};").diagnostics
    assert finding.code == code
    assert message in finding.message


def test_a_hundred_rows_are_one_statement(db: piql.Database) -> None:
    values = ", ".join(f"({number}, {number})" for number in range(100))
    assert db.run(f"INSERT INTO item (id, n) VALUES {values}").rows_affected == 100
