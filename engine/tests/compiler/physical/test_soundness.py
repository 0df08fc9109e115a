"""What must be refused or kept, because a smaller plan would lose rows. Each is a trap that a planner can fall into."""

from __future__ import annotations

import piql
import pytest
from piql.compiler.logical.operators import Relation
from piql.compiler.physical.operators import Dereference, IndexFKJoin, IndexScan, LocalSort, LocalStop, SortedIndexJoin
from piql.compiler.physical.planner.findings import gap_diagnostics
from piql.compiler.physical.planner.unbounded import Gap
from piql.compiler.result import CompiledQuery


def compiled(schema: str, query: str) -> CompiledQuery:
    return piql.compile(f"{schema}\nCREATE QUERY q AS {query};").queries["q"]


M = "CREATE TABLE m (g INT, id INT, a INT, b INT, PRIMARY KEY (g, id));"


def test_a_stop_does_not_pass_a_second_range() -> None:
    assert not compiled(M, "SELECT id FROM m WHERE g = 1 AND a > 1 AND b > 1 LIMIT 5").is_bounded


def test_a_stop_does_not_pass_a_test_that_no_index_applies() -> None:
    for test in ("a <> 1", "a + b = 2", "NOT (a IN (1, 2))", "a = b"):
        assert not compiled(M, f"SELECT id FROM m WHERE g = 1 AND {test} LIMIT 5").is_bounded, test


def test_null_is_a_value_of_an_index_and_none_of_a_limit_or_a_unique_key() -> None:
    schema = """CREATE TABLE m (
      g INT, id INT, a INT, b INT UNIQUE, PRIMARY KEY (g, id), CARDINALITY LIMIT 5 (a), CARDINALITY LIMIT 5 (g, a)
    );"""
    for test in ("a IS NULL", "g = 1 AND a IS NULL", "b IS NULL", "g = 1 AND b IS NULL"):
        assert not compiled(schema, f"SELECT id FROM m WHERE {test}").is_bounded, test
        query = compiled(schema, f"SELECT id FROM m WHERE {test} LIMIT 7")
        assert query.bound is not None, test
        assert (query.bound.operations, query.bound.rows) == (1, 7), test


def test_a_partition_is_named_by_values_and_not_by_null() -> None:
    queries = """
    CREATE QUERY unset AS SELECT id FROM m WHERE a IS NULL AND g = 1 AND b = 2 LIMIT 5;
    CREATE QUERY set AS SELECT id FROM m WHERE a = 3 AND g = 1 AND b = 2 LIMIT 5;
    """
    (index,) = piql.compile(M + queries).indexes.values()
    assert index.columns[2].name == "a"
    assert index.partition_columns == 2


def test_an_order_that_begins_elsewhere_than_the_range_is_not_served() -> None:
    assert not compiled(M, "SELECT id FROM m WHERE g = 1 AND a > 1 ORDER BY b LIMIT 5").is_bounded


def test_a_limit_on_more_columns_than_are_fixed_bounds_nothing() -> None:
    schema = "CREATE TABLE m (g INT, id INT, a INT, PRIMARY KEY (g, id), CARDINALITY LIMIT 5 (g, a));"
    assert not compiled(schema, "SELECT id FROM m WHERE g = 1").is_bounded
    assert compiled(schema, "SELECT id FROM m WHERE g = 1 AND a = 2").is_bounded


def test_a_range_does_not_fix_a_column_of_a_limit() -> None:
    schema = "CREATE TABLE m (g INT, id INT, PRIMARY KEY (g, id), CARDINALITY LIMIT 5 (g));"
    assert not compiled(schema, "SELECT id FROM m WHERE g > 1").is_bounded


def test_a_limit_counts_once_for_each_value_of_a_list() -> None:
    schema = "CREATE TABLE m (g INT, id INT, PRIMARY KEY (g, id), CARDINALITY LIMIT 5 (g));"
    query = compiled(schema, "SELECT id FROM m WHERE g IN [gs] MAX 7")
    assert query.bound is not None
    assert (query.bound.operations, query.bound.rows) == (7, 35)


def test_a_cardinality_limit_of_the_left_side_of_an_or_does_not_bound_the_right() -> None:
    schema = "CREATE TABLE m (g INT, id INT, a INT, PRIMARY KEY (g, id), CARDINALITY LIMIT 5 (g));"
    assert not compiled(schema, "SELECT id FROM m WHERE g = 1 OR a = 2").is_bounded


FOREIGN = """
CREATE TABLE n (id INT PRIMARY KEY, a INT);
CREATE TABLE m (g INT, id INT, n_id INT REFERENCES n, other INT, PRIMARY KEY (g, id));
"""


def operators(query: CompiledQuery) -> list[str]:
    assert query.plan is not None
    kinds = (IndexScan, IndexFKJoin, SortedIndexJoin, Dereference, LocalSort, LocalStop)
    return [type(node).__name__ for node in query.plan.walk() if isinstance(node, kinds)]


def test_a_stop_passes_a_declared_foreign_key() -> None:
    query = compiled(FOREIGN, "SELECT n.a FROM m JOIN n ON n.id = m.n_id WHERE m.g = 1 LIMIT 5")
    assert query.bound is not None
    assert query.bound.operations == 6
    assert operators(query) == ["IndexFKJoin", "IndexScan"]


def test_a_stop_does_not_pass_an_equality_that_is_no_foreign_key() -> None:
    assert not compiled(FOREIGN, "SELECT n.a FROM m JOIN n ON n.id = m.other WHERE m.g = 1 LIMIT 5").is_bounded


def test_a_stop_does_not_pass_a_foreign_key_with_a_further_condition() -> None:
    query = "SELECT n.a FROM m JOIN n ON n.id = m.n_id AND n.a = m.other WHERE m.g = 1 LIMIT 5"
    assert not compiled(FOREIGN, query).is_bounded
    query = "SELECT n.a FROM m JOIN n ON n.id = m.n_id WHERE m.g = 1 AND n.a > 3 LIMIT 5"
    assert not compiled(FOREIGN, query).is_bounded


def test_a_stop_passes_a_foreign_key_that_may_be_null_only_where_the_index_leaves_such_rows_out() -> None:
    schema = FOREIGN.replace("n_id INT REFERENCES n", "n_id INT NULL REFERENCES n")
    query = "SELECT n.a FROM m JOIN n ON n.id = m.n_id WHERE m.g = 1{} LIMIT 5"
    assert not compiled(schema, query.format(" AND m.other > 3")).is_bounded
    assert not compiled(schema, query.replace(" LIMIT", " ORDER BY m.other LIMIT").format("")).is_bounded
    assert compiled(schema, query.format(" AND m.n_id = 3")).is_bounded
    for test in ("", " AND m.n_id IS NOT NULL"):
        plan = compiled(schema, query.format(test)).plan
        assert plan is not None, test
        (scan,) = plan.find(IndexScan)
        assert scan.range is not None, test
        assert scan.range.column == "n_id", test


def test_a_stop_passes_a_left_join_to_a_key() -> None:
    query = compiled(FOREIGN, "SELECT n.a FROM m LEFT JOIN n ON n.id = m.other WHERE m.g = 1 LIMIT 5")
    assert query.bound is not None
    assert query.bound.operations == 6


def test_a_test_above_a_left_join_keeps_the_stop_above_it() -> None:
    query = "SELECT n.a FROM m LEFT JOIN n ON n.id = m.other WHERE m.g = 1 AND n.a IS NULL LIMIT 5"
    assert not compiled(FOREIGN, query).is_bounded


def test_an_order_by_the_joined_table_keeps_the_stop_above_the_join() -> None:
    query = "SELECT n.a FROM m JOIN n ON n.id = m.n_id WHERE m.g = 1 ORDER BY n.a LIMIT 5"
    assert not compiled(FOREIGN, query).is_bounded


def test_distinct_and_groups_keep_the_stop_above_them() -> None:
    assert not compiled(M, "SELECT DISTINCT a FROM m WHERE g = 1 LIMIT 5").is_bounded
    assert not compiled(M, "SELECT a, COUNT(*) AS n FROM m WHERE g = 1 GROUP BY a LIMIT 5").is_bounded


def test_a_bounded_group_may_be_stopped_after_it_is_sorted() -> None:
    schema = "CREATE TABLE m (g INT, id INT, a INT, PRIMARY KEY (g, id), CARDINALITY LIMIT 20 (g));"
    query = compiled(schema, "SELECT id FROM m WHERE g = 1 AND a > 3 ORDER BY a LIMIT 20")
    assert operators(query) == ["LocalStop", "LocalSort", "IndexScan"]


def test_the_union_that_drops_equal_rows_is_not_stopped_in_its_branches() -> None:
    query = "SELECT a FROM m WHERE g = 1 UNION SELECT a FROM m WHERE g = 2 LIMIT 5"
    assert not compiled(M, query).is_bounded
    assert compiled(M, query.replace("UNION", "UNION ALL")).is_bounded


def test_an_index_of_words_is_not_read_without_a_word() -> None:
    schema = "CREATE TABLE m (g INT, id INT PRIMARY KEY, t VARCHAR(20));\nCREATE INDEX words ON m (g, TOKEN(t));"
    query = compiled(schema, "SELECT id FROM m WHERE g = 1 LIMIT 5")
    assert [index.name for index in query.indexes] == ["m_by_g"]


def test_two_words_need_a_limit() -> None:
    schema = "CREATE TABLE m (g INT, id INT PRIMARY KEY, t VARCHAR(20){});"
    query = "SELECT id FROM m WHERE t LIKE [one] AND t LIKE [other] LIMIT 5"
    assert not compiled(schema.format(""), query).is_bounded
    assert compiled(schema.format(", CARDINALITY LIMIT 9 (TOKEN(t))"), query).is_bounded


def test_keys_of_another_type_are_not_looked_up() -> None:
    schema = "CREATE TABLE n (id DOUBLE PRIMARY KEY);\nCREATE TABLE m (g INT, id INT, PRIMARY KEY (g, id));"
    query = "SELECT n.id FROM m JOIN n ON n.id = m.id WHERE m.g = 1 AND m.id = 2"
    compilation = piql.compile(f"{schema}\nCREATE QUERY q AS {query};")
    assert not compilation.queries["q"].is_bounded


def test_pages_of_a_left_join_do_not_stop_its_lists() -> None:
    schema = FOREIGN + "CREATE TABLE k (n_id INT, id INT, PRIMARY KEY (n_id, id));"
    query = "SELECT m.id, k.id AS k FROM m LEFT JOIN k ON k.n_id = m.other WHERE m.g = 1 AND m.id = 2 {}"
    assert compiled(schema, query.format("LIMIT 5")).is_bounded
    assert not compiled(schema, query.format("ORDER BY k.id PAGINATE 5")).is_bounded


NOTES = """
CREATE TABLE owners (name VARCHAR(20) PRIMARY KEY, town VARCHAR(20));
CREATE TABLE notes (id INT PRIMARY KEY, owner VARCHAR(20), at INT, body VARCHAR(40));
"""
OF_NOTES = (
    "SELECT o.name, MAX(n.at) AS last FROM owners o JOIN notes n ON n.owner = o.name"
    " WHERE o.name = [me] GROUP BY o.name",
    "SELECT o.name, (SELECT n.body FROM notes n WHERE n.owner = o.name ORDER BY n.at LIMIT 1) AS first"
    " FROM owners o WHERE o.name = [me]",
    "SELECT MAX(n.at) AS last FROM notes n",
    "SELECT owner, MAX(at) AS last FROM notes WHERE owner IN [some] MAX 5 GROUP BY owner",
    "SELECT id, body FROM notes WHERE owner = [me] ORDER BY at LIMIT 3",
    "SELECT id, body FROM notes ORDER BY at PAGINATE 3",
    "SELECT o.name, n.body FROM owners o JOIN notes n ON n.owner = o.name WHERE o.name = [me] ORDER BY n.at LIMIT 3",
)


@pytest.mark.parametrize("columns", ["owner", "owner, at", "owner, at DESC", "at", "body", "owner, body", "id"])
@pytest.mark.parametrize("query", OF_NOTES)
def test_an_index_in_buckets_takes_no_bound_away_and_makes_no_more_than_its_requests(query: str, columns: str) -> None:
    without = compiled(NOTES, query).bound
    beside = compiled(f"{NOTES}CREATE INDEX spread ON notes ({columns}) BUCKETS 4;", query).bound
    assert without is not None
    assert beside is not None
    assert beside.operations <= 4 * without.operations


def test_what_no_index_gives_as_a_first_match_is_said_in_a_whole_sentence() -> None:
    schema = piql.compile(NOTES).catalog
    table = schema.tables["notes"]
    gap = Gap("sort", (), Relation(table=table, alias="notes", span=table.span), (), (), ())
    assert table.span is not None
    (finding,) = gap_diagnostics((gap,), table.span, None)
    assert finding.message.startswith("Finding the first match of each row takes the first rows of an order that no")


FOLLOWED = """
CREATE TABLE s (owner INT, target INT, n INT NULL, PRIMARY KEY (owner, target), CARDINALITY LIMIT 10 (owner),
  CARDINALITY LIMIT 10 (n));
CREATE TABLE b (id INT PRIMARY KEY, owner INT NOT NULL, target INT NOT NULL, n INT,
  CARDINALITY LIMIT 5 (owner, target));
"""


@pytest.mark.parametrize(
    "test",
    [
        "s.owner = [me] AND (s.target, [me]) NOT IN (SELECT b.owner, b.target FROM b)",
        "s.n = [me] AND (s.target, s.n) NOT IN (SELECT b.owner, b.target FROM b)",
        "s.n = [me] AND (s.target, [me]) NOT IN (SELECT b.owner, b.target FROM b)",
    ],
)
def test_what_an_equality_shows_to_be_no_null_is_none_in_not_in(test: str) -> None:
    query = compiled(FOLLOWED, f"SELECT s.target FROM s WHERE {test}")
    assert query.bound is not None
    assert query.bound.operations == 11


@pytest.mark.parametrize(
    "test",
    [
        "s.owner = [other] AND (s.target, [me]) NOT IN (SELECT b.owner, b.target FROM b)",
        "s.owner = [me] AND (s.target, s.n) NOT IN (SELECT b.owner, b.target FROM b)",
        "s.owner = [me] AND (s.target, [me]) NOT IN (SELECT b.owner, b.n FROM b)",
        "s.owner IN [some] MAX 3 AND (s.target, [me]) NOT IN (SELECT b.owner, b.target FROM b)",
    ],
)
def test_what_may_be_null_in_not_in_is_looked_up_by_nothing(test: str) -> None:
    assert not compiled(FOLLOWED, f"SELECT s.target FROM s WHERE {test}").is_bounded
