"""Scaling classes: what makes a query constant, bounded by the data, or refused."""

from __future__ import annotations

import piql
import pytest

SCHEMA = """
CREATE TABLE m (g INT, id INT, a INT, PRIMARY KEY (g, id), CARDINALITY LIMIT 20 (g));
CREATE TABLE n (g INT, id INT, a INT, PRIMARY KEY (g, id));
"""


@pytest.mark.parametrize(
    ("query", "scaling_class"),
    [
        ("SELECT a FROM m WHERE g = 1 AND id = 2", "I"),
        ("SELECT a FROM n WHERE g = 1 LIMIT 10", "I"),
        ("SELECT a FROM n WHERE g = 1 AND id IN [ids] MAX 5", "I"),
        ("SELECT a FROM m WHERE g = 1", "II"),
        ("SELECT COUNT(*) AS n FROM m WHERE g = 1", "II"),
        ("SELECT id FROM m WHERE g = 1 AND a > 3 LIMIT 20", "II"),
        ("SELECT a FROM n WHERE g = 1", "III"),
        ("SELECT COUNT(*) AS n FROM n", "III"),
        ("SELECT x.a, y.a AS b FROM n x, n y LIMIT 10", "IV"),
        ("SELECT x.a, y.a AS b FROM n x JOIN n y ON y.a = x.a WHERE x.g = 1", "IV"),
    ],
)
def test_a_query_has_its_scaling_class(query: str, scaling_class: str) -> None:
    compiled = piql.compile(SCHEMA + f"CREATE QUERY q AS {query};").queries["q"]
    assert compiled.scaling_class == scaling_class
    assert compiled.is_bounded == (scaling_class in ("I", "II"))
