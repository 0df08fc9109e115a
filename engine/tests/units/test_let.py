"""LET in units: values that are read or computed first, and used by the statements behind."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import piql
import pytest
from piql.runtime.execution.observation import Observation
from piql.text.edits import apply_edits

SCHEMA = """
CREATE TABLE item (id INT PRIMARY KEY, price INT NOT NULL, stock INT NOT NULL, weight DECIMAL(8, 2));
CREATE TABLE orders (id UUID PRIMARY KEY, customer VARCHAR(8) NOT NULL, total BIGINT NOT NULL);
CREATE TABLE line (
  id UUID REFERENCES orders, item INT REFERENCES item, price INT NOT NULL,
  PRIMARY KEY (id, item), CARDINALITY LIMIT 5 (item));
CREATE TABLE tally (id BIGINT PRIMARY KEY, n BIGINT);
CREATE TABLE note (owner INT, n INT, PRIMARY KEY (owner, n));
"""
BUY = """
CREATE UNIT buy AS BEGIN
  LET purchase = UUID();
  LET price = (SELECT price FROM item WHERE id = [1: item]);
  LET total = [price] * [2: amount];
  INSERT INTO orders (id, customer, total) VALUES ([purchase], [3: customer], [total]);
  INSERT INTO line (id, item, price) VALUES ([purchase], [1: item], [price]);
  UPDATE item SET stock = stock - [2: amount] WHERE id = [1: item] AND stock >= [2: amount] RETURNING stock;
END;
"""
ITEMS = [{"id": 1, "price": 7, "stock": 5, "weight": "1.50"}, {"id": 2, "price": 3, "stock": 0, "weight": None}]


@pytest.fixture
def observed() -> list[Observation]:
    return []


@pytest.fixture
def db(observed: list[Observation]) -> Iterator[piql.Database]:
    with piql.connect("embedded:", observer=observed.append) as db:
        db.deploy(piql.compile(SCHEMA + BUY))
        db.load("item", ITEMS)
        yield db


def unit(db: piql.Database, *statements: str) -> None:
    compilation = piql.compile(f"{SCHEMA}CREATE UNIT u AS BEGIN {' '.join(statements)} END;")
    assert [finding.message for finding in compilation.diagnostics if finding.severity == "error"] == []
    db.deploy(compilation)


def tallies(db: piql.Database) -> list[tuple[Any, ...]]:
    return sorted(db.some_rows("tally", ("id", "n"), 99))


def test_a_value_is_read_once_and_used_by_several_statements(db: piql.Database) -> None:
    page = db.execute("buy", {"item": 1, "amount": 2, "customer": "ada"})
    assert page.rows == [{"stock": 3}]
    ((order, total),) = db.some_rows("orders", ("id", "total"), 9)
    assert total == 14
    assert db.some_rows("line", ("id", "price"), 9) == [(order, 7)]


def test_the_caller_gives_the_parameters_and_no_value_of_a_let(db: piql.Database) -> None:
    parameters = db.deployment.compilation.queries["buy"].parameters
    assert [parameter.name for parameter in parameters] == ["item", "amount", "customer"]
    with pytest.raises(piql.InvalidParameter):
        db.execute("buy", {"item": 1, "amount": 2, "customer": "ada", "price": 1})


def test_its_requests_are_in_the_bound_and_are_never_more(db: piql.Database, observed: list[Observation]) -> None:
    query = db.deployment.compilation.queries["buy"]
    assert query.bound is not None
    assert [part.bound.operations for part in query.statements if part.bound is not None][:3] == [0, 1, 0]
    of_statements = sum(part.bound.operations for part in query.statements if part.bound is not None)
    assert query.bound.operations == of_statements + query.bound.by_operator[0].operations
    assert query.bound.rows == 1  # of RETURNING: the rows of the LETs are nobody's
    page = db.execute("buy", {"item": 1, "amount": 2, "customer": "ada"})
    made = [sum(part.operations for part in observed[-1].operators if part.path[:1] == (at,)) for at in range(6)]
    assert made[:3] == [0, 1, 0]
    assert sum(made) == page.operations <= query.bound.operations
    assert page.round_trips <= query.bound.round_trips


def test_what_is_not_there_is_null_and_a_refusal_names_its_statement(db: piql.Database) -> None:
    with pytest.raises(piql.ConstraintViolation, match=r"^statement 4 of 6: orders.total is NOT NULL"):
        db.execute("buy", {"item": 9, "amount": 1, "customer": "ada"})
    with pytest.raises(piql.ConditionFailed, match=r"^statement 6 of 6: item: stock >= \[2: amount\] does not hold$"):
        db.execute("buy", {"item": 2, "amount": 1, "customer": "ada"})
    with pytest.raises(piql.ConstraintViolation, match=r"^statement 4 of 6: orders.customer: "):
        db.execute("buy", {"item": 1, "amount": 1, "customer": "far too long"})
    assert db.some_rows("orders", ("id",), 9) == []


def test_it_sees_what_the_statements_before_it_have_written(db: piql.Database) -> None:
    unit(
        db,
        "LET before = (SELECT stock FROM item WHERE id = [id]);",
        "UPDATE item SET stock = stock + 10 WHERE id = [id];",
        "LET after = (SELECT stock FROM item WHERE id = [id]);",
        "INSERT INTO tally (id, n) VALUES ([before], [after]);",
    )
    db.execute("u", {"id": 1})
    assert tallies(db) == [(5, 15)]


def test_a_value_stands_in_set_if_where_sections_and_conflicts(db: piql.Database) -> None:
    unit(
        db,
        "LET price = (SELECT price FROM item WHERE id = [id]);",
        "UPDATE item SET stock = stock + [price], price = [price] + 1 WHERE id = [id] AND price = [price];",
        "UPDATE item SET stock = stock + 1 WHERE id = [id] IF stock > [price];",
        "INSERT INTO tally (id, n) VALUES ([price], 1) ON CONFLICT (id) DO UPDATE SET n = n + [price];",
        "LET owner = [price] - 5 - (SELECT MIN(n) + 1 FROM note WHERE owner = [id] AND n < [price]);",
        "DELETE FROM note WHERE owner = [owner] LIMIT 5;",
        "INSERT INTO note (owner, n) VALUES ([owner], [price]), ([owner], 2);",
        "LET notes = (SELECT COUNT(*) FROM (SELECT n FROM note WHERE owner = [owner] LIMIT 9) x);",
        "UPDATE tally SET n = n + 100 * [notes] WHERE id = [price];",
    )
    db.load("note", [{"owner": 1, "n": number} for number in range(3)])
    db.execute("u", {"id": 1})
    assert db.some_rows("item", ("id", "price", "stock"), 1) == [(1, 8, 13)]
    assert sorted(db.some_rows("note", ("owner", "n"), 9)) == [(1, 2), (1, 7)]
    assert tallies(db) == [(7, 201)]


def test_a_value_of_another_type_is_compared_as_the_number_that_it_is(db: piql.Database) -> None:
    unit(
        db,
        "LET half = (SELECT weight FROM item WHERE id = [id]) * [times];",
        "UPDATE tally SET n = 1 WHERE id = [half];",
        "DELETE FROM note WHERE owner = 1 AND n IN (0, 1, 2, 3, 4, 5, 6) AND n >= [half] AND n < 6;",
        "LET whole = (SELECT price FROM item WHERE id = [id]);",
        "UPDATE item SET weight = [whole] WHERE id = [id];",
    )
    db.load("tally", [{"id": number, "n": 0} for number in range(6)])
    db.load("note", [{"owner": 1, "n": number} for number in range(7)])

    def notes() -> list[int]:
        return sorted(n for _, n in db.some_rows("note", ("owner", "n"), 9))

    db.execute("u", {"id": 2, "times": "3.00"})  # NULL is no number
    db.execute("u", {"id": 1, "times": "3.00"})  # 4.5 is no id
    assert [n for _, n in tallies(db)] == [0] * 6
    assert notes() == [0, 1, 2, 3, 4, 6]
    assert sorted(db.some_rows("item", ("id", "weight"), 9)) == [(1, Decimal("7.00")), (2, Decimal("3.00"))]
    db.execute("u", {"id": 2, "times": "1.00"})
    assert [key for key, n in tallies(db) if n == 1] == [3]
    assert notes() == [0, 1, 2, 6]


def test_a_value_may_depend_on_which_parameters_are_null(db: piql.Database) -> None:
    unit(
        db,
        "LET n = CASE WHEN [id] IS NULL THEN -1 ELSE (SELECT price FROM item WHERE id = [id]) END;",
        "LET at = CURRENT_TIMESTAMP;",
        "INSERT INTO tally (id, n) VALUES ([key], CASE WHEN [at] <= CURRENT_TIMESTAMP THEN [n] ELSE 0 END);",
    )
    for key, known in enumerate((1, None, 9)):
        db.execute("u", {"id": known, "key": key})
    assert tallies(db) == [(0, 7), (1, -1), (2, None)]


def test_a_value_that_nothing_bounds_is_refused_with_the_limit_that_is_missing() -> None:
    source = {
        "a.piql": f"{SCHEMA}CREATE UNIT u AS BEGIN\n"
        "  LET n = (SELECT COUNT(*) FROM note WHERE owner = [owner]);\n"
        "  INSERT INTO tally (id, n) VALUES ([owner], [n]);\nEND;"
    }
    (finding,) = piql.compile(source).diagnostics
    assert finding.code == "unbounded-aggregate"
    assert finding.message.startswith("statement 1 of 2: note of one owner: nothing limits how many there are")
    titles = [fix.title for fix in finding.fixes]
    assert titles == ["Add CARDINALITY LIMIT 100 (owner) to note", "Keep the view note_by_owner of note"]
    for fix in finding.fixes:
        fixed = piql.compile(apply_edits(source, fix.edits))
        assert not fixed.has_errors
        assert fixed.queries["u"].bound is not None
        assert fix.cost.startswith("at most 1 request an execution")


@pytest.mark.parametrize(
    ("statements", "code", "message"),
    [
        ("LET n = [n] + 1;", "unit-form", "[n] is a parameter of this unit already"),
        ("LET m = 1; LET m = 2;", "unit-form", "[m] is the value of a LET already"),
        ("LET m = [p];", "unit-form", "nothing here determines the type of [m]"),
        ("LET m = (SELECT n FROM note WHERE owner = 1);", "scalar-subquery", "it may return several rows"),
        ("LET m = (SELECT id, n FROM tally WHERE id = 1);", "subquery-columns", "must return one column"),
        ("LET m = 1; DELETE FROM note WHERE owner IN [m] MAX 3 LIMIT 3;", "parameter-conflict", "a list is needed"),
        ("LET m = 1; DELETE FROM note WHERE owner = 1 LIMIT [m] MAX 3;", "parameter-conflict", "LIMIT takes a number"),
        ("LET m = 1; INSERT INTO note (owner, n) VALUES [m] MAX 3;", "parameter-conflict", "rows are needed here"),
        ("LET m = 1; DELETE FROM note WHERE owner = 1 AND n = [1: m];", "parameter-conflict", "it has no ordinal"),
        ("LET m = 'a'; DELETE FROM note WHERE owner = 1 AND n = [m];", "type-mismatch", "cannot be compared"),
        ("LET [m] = 1;", "syntax-error", "expected the name of a value after LET"),
        ("SELECT n FROM tally WHERE id = 1;", "unit-form", "a unit holds writes, and this is a query"),
    ],
)
def test_what_a_let_cannot_be_is_said(statements: str, code: str, message: str) -> None:
    text = f"{SCHEMA}CREATE UNIT u AS BEGIN DELETE FROM tally WHERE id = [n]; {statements} END;"
    findings = [finding for finding in piql.compile(text).diagnostics if finding.severity == "error"]
    assert [finding.code for finding in findings] == [code]
    assert message in findings[0].message


@pytest.mark.parametrize(
    ("statement", "way_out"),
    [
        ("LET m = SELECT n FROM tally WHERE id = 1;", "a query that is a value stands in parentheses: (SELECT …)"),
        ("LET n = 1;", "move the LET before the statements that use its value, or give the value another name"),
    ],
)
def test_a_likely_mistake_is_met_with_what_to_do(statement: str, way_out: str) -> None:
    text = f"{SCHEMA}CREATE UNIT u AS BEGIN DELETE FROM tally WHERE id = [n]; {statement} END;"
    (finding,) = piql.compile(text).diagnostics
    assert finding.help == (way_out,)


def test_a_unit_of_lets_alone_is_refused() -> None:
    (finding,) = piql.compile(f"{SCHEMA}CREATE UNIT u AS BEGIN LET m = 1; END;").diagnostics
    assert (finding.code, finding.message) == ("unit-form", "this unit writes nothing")


ROW = "LET (price, stock) = (SELECT price, stock FROM item WHERE id = [item]);"
COUNT = "INSERT INTO tally (id, n) VALUES ([price], [stock]);"


def test_the_columns_of_a_row_are_read_once(db: piql.Database) -> None:
    unit(db, ROW, COUNT)
    compiled = db.deployment.compilation.queries["u"]
    assert compiled.statements[0].bound is not None
    assert compiled.statements[0].bound.operations == 1
    assert [parameter.name for parameter in compiled.parameters] == ["item"]
    assert db.execute("u", {"item": 1}).operations == 3
    assert tallies(db) == [(7, 5)]


def test_without_a_row_all_its_values_are_null(db: piql.Database) -> None:
    unit(db, ROW, "INSERT INTO tally (id, n) VALUES ([item], [stock]);")
    db.execute("u", {"item": 9})
    assert tallies(db) == [(9, None)]


@pytest.mark.parametrize(
    ("let", "message", "way_out"),
    [
        ("LET (price, stock) = (SELECT price FROM item WHERE id = [item]);", "names 2 values", "each column"),
        ("LET (price, stock) = 5;", "columns of a row", "LET (a, b)"),
        ("LET (price, price) = (SELECT price, stock FROM item WHERE id = [item]);", "named twice", "of its own"),
        ("LET (price, stock) = (SELECT price, NULL FROM item WHERE id = [item]);", "type of [stock]", "CAST"),
        ("LET (price, stock) = (SELECT i.price, i.stock FROM line l JOIN item i ON i.id = l.item "
         "WHERE l.item = [item]);", "5 rows", "LIMIT 1"),
    ],
)  # fmt: skip
def test_rows_that_are_refused_say_why(let: str, message: str, way_out: str) -> None:
    findings = piql.compile(f"{SCHEMA}CREATE UNIT u AS BEGIN {let} {COUNT} END;").diagnostics
    finding = next(finding for finding in findings if finding.severity == "error")
    assert message in finding.message
    assert way_out in " ".join(finding.help)


def test_the_first_of_several_rows_is_offered() -> None:
    text = SCHEMA + "CREATE UNIT u AS BEGIN LET (a, b) = (SELECT item, price FROM line WHERE item = [item]); "
    text += "INSERT INTO tally (id, n) VALUES ([a], [b]); END;"
    (fix,) = next(finding.fixes for finding in piql.compile({"a": text}).diagnostics if finding.severity == "error")
    fixed = apply_edits({"a": text}, fix.edits)["a"]
    assert "WHERE item = [item] LIMIT 1)" in fixed
    assert piql.compile({"a": fixed}).queries["u"].bound is not None
