"""A subquery in a subquery that cannot be read is refused at its own place, with the one way out that there is."""

from __future__ import annotations

import piql
import pytest

SCHEMA = """
CREATE TABLE f (owner INT, target INT, PRIMARY KEY (owner, target), CARDINALITY LIMIT 10 (owner));
CREATE TABLE m (owner INT, target INT, PRIMARY KEY (owner, target), CARDINALITY LIMIT 10 (owner));
"""
MUTED = "(SELECT m.owner FROM m WHERE m.owner = b.owner AND m.target = b.target)"
AS_DISTINCT = (
    "write SELECT DISTINCT, and join the tables of the outer subquery in FROM: then this may be a test in WHERE"
)
AS_TWO = "split this query into two: the second one tests the rows that the first one returns"


def refusal(test: str) -> piql.Diagnostic:
    query = f"CREATE QUERY q AS SELECT a.target FROM f a WHERE a.owner = [me] AND {test};"
    (finding,) = [
        diagnostic for diagnostic in piql.compile(SCHEMA + query).diagnostics if diagnostic.severity == "error"
    ]
    return finding


@pytest.mark.parametrize(
    ("around", "inner", "way_out"),
    [
        ("EXISTS (SELECT b.owner FROM f b WHERE b.owner = a.target AND {})", f"NOT EXISTS {MUTED}", AS_DISTINCT),
        ("a.target IN (SELECT b.owner FROM f b WHERE b.owner = a.target AND {})", f"NOT EXISTS {MUTED}", AS_DISTINCT),
        (
            "EXISTS (SELECT b.owner FROM f b WHERE b.owner = a.target AND {})",
            "b.target NOT IN (SELECT m.target FROM m WHERE m.owner = b.owner)",
            AS_DISTINCT,
        ),
        ("NOT EXISTS (SELECT b.owner FROM f b WHERE b.owner = a.target AND {})", f"NOT EXISTS {MUTED}", AS_TWO),
    ],
)
def test_what_asks_for_no_row_inside_of_another_subquery_is_refused_where_it_stands(
    around: str, inner: str, way_out: str
) -> None:
    finding = refusal(around.format(inner))
    assert finding.code == "subquery-place"
    assert finding.span.text == inner
    assert finding.help == (way_out,)


@pytest.mark.parametrize(
    "test", [f"NOT EXISTS {MUTED}", "b.target NOT IN (SELECT m.target FROM m WHERE m.owner = b.owner)"]
)
def test_the_way_out_has_a_bound(test: str) -> None:
    query = f"SELECT DISTINCT a.target FROM f a JOIN f b ON b.owner = a.target WHERE a.owner = [me] AND {test}"
    assert piql.compile(f"{SCHEMA}CREATE QUERY q AS {query};").queries["q"].is_bounded
