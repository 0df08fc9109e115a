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


TASKS = "CREATE TABLE tasks (id INT PRIMARY KEY, due TIMESTAMP, title VARCHAR(20));\n"
NEXT = "CREATE QUERY next_due AS SELECT id FROM tasks ORDER BY due LIMIT 10;\n"
LATER = "CREATE QUERY later AS SELECT title FROM tasks WHERE due > [1: since] ORDER BY due LIMIT 10;\n"
ALL = "CREATE QUERY everything AS SELECT id FROM tasks PAGINATE 10;\n"


def test_a_partition_that_several_queries_read_is_warned_of_once_and_names_them() -> None:
    compilation = piql.compile({"schema.piql": TASKS, "a.piql": NEXT, "b.piql": LATER})
    (warning,) = compilation.diagnostics
    assert (warning.code, warning.query, len(warning.fixes)) == ("hot-partition", "next_due", 1)
    assert [(label.span.file, label.text) for label in warning.labels] == [("b.piql", "later reads it, too")]
    for query in compilation.queries.values():  # each query by itself still knows
        assert [finding.code for finding in query.diagnostics] == ["hot-partition"]


def test_two_orders_of_a_table_are_two_partitions() -> None:
    warnings = piql.compile(TASKS + NEXT + ALL).diagnostics
    assert [(warning.query, warning.labels) for warning in warnings] == [("next_due", ()), ("everything", ())]


def test_a_query_whose_comment_allows_it_leaves_the_warning_of_the_others() -> None:
    allowed = f"-- allow(hot-partition): a small table\n{NEXT}"
    findings = piql.compile(TASKS + allowed + LATER + LATER.replace("later", "latest")).diagnostics
    assert [(finding.query, finding.severity, len(finding.labels)) for finding in findings] == [
        ("next_due", "info", 0),
        ("later", "warning", 1),
    ]
