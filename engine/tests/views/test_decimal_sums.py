"""A view of a DECIMAL holds the sums that a query over its table gives, and refuses writes whose sum it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import piql
import pytest

TABLE = "CREATE TABLE t (id INT PRIMARY KEY, g INT NOT NULL, e {type}, CARDINALITY LIMIT 100 (g));\n"
QUERIES = """
CREATE QUERY put AS INSERT INTO t (id, g, e) VALUES ([id], [g], [e]);
CREATE QUERY correct AS UPDATE t SET e = [e] WHERE id = [id];
CREATE QUERY remove AS DELETE FROM t WHERE id = [id];
CREATE QUERY sums AS SELECT SUM(e) AS s, AVG(e) AS a FROM t WHERE g = [g];
"""
VIEW = """
CREATE VIEW v AS SELECT g, COUNT(*) AS n, COUNT(e) AS c, SUM(e) AS s, AVG(e) AS a FROM t GROUP BY g;
CREATE QUERY kept AS SELECT s, a FROM v WHERE g = [g];
"""
NINES = "9" * 38
GROUPS = [
    ("DECIMAL", [NINES, "1", "0.5"]),
    ("DECIMAL", [NINES, "0.5"]),
    ("DECIMAL", ["1E300"]),
    ("DECIMAL", ["1E300", "9E300"]),
    ("DECIMAL", ["9E300", "1E299", "-1E300"]),
    ("DECIMAL", ["1E300", "1"]),
    ("DECIMAL", ["1E300", "-1E300", "1E-300"]),
    ("DECIMAL", ["1E-300", "1"]),
    ("DECIMAL", ["1E-300", "-1E-300"]),
    ("DECIMAL", ["1" * 39]),
    ("DECIMAL", ["1" * 38 + "0" * 200]),
    ("DECIMAL", ["1" * 300]),
    ("DECIMAL", ["0." + "1" * 300]),
    ("DECIMAL", ["-" + NINES, "-1", "2"]),
    ("DECIMAL", ["0", None, "-0.00"]),
    ("DECIMAL", [None, None]),
    ("DECIMAL(38, 0)", [NINES, "1"]),
    ("DECIMAL(38, 0)", [NINES, "-1", "1"]),
    ("DECIMAL(38, 30)", ["99999999." + "9" * 30, "0." + "0" * 29 + "1"]),
    ("DECIMAL(10, 2)", ["99999999.99", "0.01"]),
]


@pytest.fixture
def worlds(request: pytest.FixtureRequest) -> Iterator[tuple[piql.Database, piql.Database]]:
    """Two stores with a table whose DECIMAL has the type of the test; the first has a view of it."""
    table = TABLE.format(type=request.param)
    with piql.connect("embedded:") as viewed, piql.connect("embedded:") as plain:
        viewed.deploy(piql.compile(table + QUERIES + VIEW))
        plain.deploy(piql.compile(table + QUERIES))
        yield viewed, plain


def may_be_summed(db: piql.Database) -> bool:
    """Tell whether a query gives the sum of the group."""
    try:
        db.execute("sums", {"g": 1})
    except piql.NumberOutOfRange:
        return False
    return True


def put_in_both(viewed: piql.Database, plain: piql.Database, identity: int, text: str | None) -> None:
    """Put a row into both stores if the view takes it; it must be refused exactly if no query could sum it."""
    row = {"id": identity, "g": 1, "e": Decimal(text) if text is not None else None}
    plain.execute("put", row)
    if may_be_summed(plain):
        viewed.execute("put", row)
        return
    with pytest.raises(piql.ConstraintViolation, match=r"^v\.s: "):
        viewed.execute("put", row)
    plain.execute("remove", {"id": identity})


@pytest.mark.parametrize(("worlds", "values"), GROUPS, indirect=["worlds"])
def test_a_view_takes_the_rows_whose_sum_a_query_gives_and_holds_that_sum(
    worlds: tuple[piql.Database, piql.Database], values: list[str | None]
) -> None:
    viewed, plain = worlds
    for identity, text in enumerate(values):
        put_in_both(viewed, plain, identity, text)
        expected = plain.execute("sums", {"g": 1}).rows
        assert viewed.execute("sums", {"g": 1}).rows == expected
        kept = viewed.execute("kept", {"g": 1}).rows
        assert kept == expected or (not kept and expected == [{"s": None, "a": None}])


@pytest.mark.parametrize("worlds", ["DECIMAL"], indirect=True)
def test_a_refused_sum_changes_nothing_and_the_group_goes_on(worlds: tuple[piql.Database, piql.Database]) -> None:
    viewed, _ = worlds
    viewed.execute("put", {"id": 1, "g": 1, "e": Decimal(NINES)})
    message = r"^v\.s: SUM\(e\) does not fit: a DECIMAL that is computed has at most 38 digits$"
    with pytest.raises(piql.ConstraintViolation, match=message):
        viewed.execute("put", {"id": 2, "g": 1, "e": Decimal("0.5")})
    with pytest.raises(piql.ConstraintViolation, match=message):
        viewed.execute("correct", {"id": 1, "e": Decimal("1" * 39)})
    assert viewed.execute("kept", {"g": 1}).rows[0]["s"] == Decimal(NINES)
    viewed.execute("correct", {"id": 1, "e": Decimal("1E300")})
    viewed.execute("put", {"id": 2, "g": 1, "e": Decimal("1E299")})
    assert viewed.execute("kept", {"g": 1}).rows[0]["s"] == Decimal("1.1E300")
    viewed.execute("remove", {"id": 1})
    assert viewed.execute("kept", {"g": 1}).rows[0]["s"] == Decimal("1E299")


@pytest.mark.parametrize("worlds", ["DECIMAL"], indirect=True)
def test_a_view_of_rows_that_no_query_could_sum_is_refused(worlds: tuple[piql.Database, piql.Database]) -> None:
    _, plain = worlds
    for identity, text in enumerate((NINES, "0.5")):
        plain.execute("put", {"id": identity, "g": 1, "e": Decimal(text)})
    with pytest.raises(piql.CompilationRefused, match=r"each sum must fit its column, but .*at most 38 digits"):
        plain.deploy(piql.compile(TABLE.format(type="DECIMAL") + QUERIES + VIEW))


@pytest.mark.parametrize("worlds", ["DECIMAL"], indirect=True)
def test_loaded_rows_are_summed_by_the_same_rule(worlds: tuple[piql.Database, piql.Database]) -> None:
    viewed, _ = worlds
    viewed.load("t", [{"id": 1, "g": 1, "e": Decimal("1E300")}, {"id": 2, "g": 2, "e": Decimal(NINES)}])
    assert viewed.execute("kept", {"g": 1}).rows[0]["s"] == Decimal("1E300")
    with pytest.raises(piql.ConstraintViolation, match="at most 38 digits"):
        viewed.load("t", [{"id": 3, "g": 2, "e": Decimal("0.5")}])
