"""Which reads are warned of, because all runs of a query meet in a partition without a limit."""

from __future__ import annotations

import piql
import pytest

SCHEMA = "CREATE TABLE m (id INT PRIMARY KEY, title VARCHAR(20), body VARCHAR(20), CARDINALITY LIMIT 10 (TOKEN({})));\n"
SEARCH = "CREATE QUERY q AS SELECT id FROM m WHERE (title CONTAINS 'x' OR body CONTAINS 'x');"


@pytest.mark.parametrize("columns", ["body, title", "title, body"])
def test_a_limit_on_words_limits_a_partition_whatever_the_order_of_its_columns(columns: str) -> None:
    assert [diagnostic.code for diagnostic in piql.compile(SCHEMA.format(columns) + SEARCH).diagnostics] == []


def test_a_search_for_a_constant_word_without_a_limit_meets_one_partition() -> None:
    schema = "CREATE TABLE m (id INT PRIMARY KEY, title VARCHAR(20));\n"
    query = "CREATE QUERY q AS SELECT id FROM m WHERE title CONTAINS 'x' LIMIT 5;"
    assert [diagnostic.code for diagnostic in piql.compile(schema + query).diagnostics] == ["hot-partition"]
