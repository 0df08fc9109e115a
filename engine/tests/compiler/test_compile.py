"""compile(): what it takes, what it gives, and that it never raises for what a text says."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import piql
import pytest
from piql.compiler import compile_statement
from piql.compiler.logical.operators import Delete, Insert, Relation, Update, inputs

SCHEMA = """
CREATE TABLE users (name VARCHAR(20) PRIMARY KEY, town VARCHAR(20));
CREATE TABLE follows (
  owner VARCHAR(20) REFERENCES users, target VARCHAR(20) REFERENCES users, PRIMARY KEY (owner, target),
  CARDINALITY LIMIT 10 (owner)
);
"""
FOUND = "CREATE QUERY found AS SELECT town FROM users WHERE name = [1: name];\n"
REFUSED = "CREATE QUERY refused AS SELECT name FROM users WHERE town = [1: town];\n"


def test_a_text_has_an_empty_file_name() -> None:
    compilation = piql.compile(SCHEMA + REFUSED)
    assert {diagnostic.span.file for diagnostic in compilation.diagnostics} == {""}


def test_a_folder_is_read_with_all_its_files(tmp_path: Path) -> None:
    (tmp_path / "schema.piql").write_text(SCHEMA)
    (tmp_path / "queries").mkdir()
    (tmp_path / "queries" / "refused.piql").write_text(REFUSED)
    (tmp_path / "notes.txt").write_text("not PIQL")
    compilation = piql.compile(tmp_path)
    assert {diagnostic.span.file for diagnostic in compilation.diagnostics} == {"queries/refused.piql"}
    assert list(compilation.tables) == ["users", "follows"]


def test_a_file_is_read_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "all.piql").write_text(SCHEMA + FOUND)
    assert piql.compile(tmp_path / "all.piql").queries["found"].is_bounded


def test_texts_are_given_by_name_in_any_order() -> None:
    compilation = piql.compile({"a.piql": FOUND, "b.piql": SCHEMA})
    assert not compilation.has_errors
    assert compilation.queries["found"].span.file == "a.piql"


@pytest.mark.parametrize(
    "text",
    ["", ";", "SELECT", "CREATE", "CREATE QUERY q AS", "\x00", "CREATE TABLE t (", SCHEMA + "CREATE QUERY q AS SELECT"],
)
def test_no_text_raises(text: str) -> None:
    piql.compile(text)


def test_a_broken_query_hides_no_other() -> None:
    compilation = piql.compile(SCHEMA + "CREATE QUERY broken AS SELECT FROM;\n" + FOUND + REFUSED)
    assert set(compilation.queries) == {"broken", "found", "refused"}
    assert compilation.queries["found"].is_bounded
    assert compilation.queries["broken"].plan is None


def test_a_refused_query_keeps_its_logical_plan_with_the_segment_marked() -> None:
    query = piql.compile(SCHEMA + REFUSED).queries["refused"]
    assert query.bound is None
    assert query.plan is None
    assert query.logical is not None
    assert query.scaling_class == "III"
    (segment,) = query.unbounded
    assert segment.table == "users"
    assert segment.sentence == "users of one town: nothing limits how many there are"
    assert "town = [1: town]" in [span.text for span in segment.spans]
    assert segment.table_span is not None
    assert segment.table_span.text == "users"
    assert query.diagnostics[0].span.text == "town = [1: town]"


def test_the_first_of_two_queries_of_one_name_counts() -> None:
    compilation = piql.compile(SCHEMA + FOUND + FOUND.replace("town", "name", 1))
    assert [diagnostic.code for diagnostic in compilation.diagnostics] == ["duplicate-query"]
    assert compilation.queries["found"].text.startswith("CREATE QUERY found AS SELECT town")


def test_the_second_query_of_one_name_says_where_it_stands_also_after_other_edits() -> None:
    first, second = FOUND, FOUND.replace("town", "name", 1)
    own = "CREATE QUERY own AS SELECT name FROM users WHERE name = [1: name];\n"
    compiler = piql.compiler.Compiler()
    for before in ("", "-- a line above\n", "-- a longer line above\n"):
        files = {"a.piql": SCHEMA + first, "b.piql": before + own + second}
        (repeated,) = compiler.compile(files).repeated
        assert (repeated.name, repeated.span.source.name) == ("found", "b.piql")
        assert repeated.span.text == second.strip().removesuffix(";")
        assert repeated.name_span.start == files["b.piql"].index("found")
        assert repeated.first_name_span.source.name == "a.piql"
    files["b.piql"] = own + second.replace("found", "another", 1)
    assert compiler.compile(files).repeated == ()


def test_the_indexes_of_a_set_do_not_depend_on_the_order_of_its_queries() -> None:
    one = "CREATE QUERY one AS SELECT name FROM users WHERE town = [1: town] LIMIT 5;\n"
    two = "CREATE QUERY two AS SELECT town, name FROM users WHERE town = [1: town] ORDER BY name DESC LIMIT 5;\n"
    assert piql.compile(SCHEMA + one + two).indexes == piql.compile(SCHEMA + two + one).indexes


def test_every_step_of_the_optimizer_changes_the_plan() -> None:
    query = piql.compile(SCHEMA + FOUND).queries["found"]
    plans = [query.bound_plan, *(step.plan for step in query.steps)]
    assert all(before != after for before, after in pairwise(plans))
    assert plans[-1] == query.logical


def test_a_bare_statement_reads_the_indexes_that_exist() -> None:
    compilation = piql.compile(SCHEMA + FOUND)
    query = compile_statement("SELECT owner FROM follows WHERE target = 'ada' LIMIT 3", compilation)
    assert query.name == ""
    assert [index.name for index in query.indexes] == ["follows_by_target"]


def test_a_bare_statement_that_needs_a_new_index_is_refused_in_words() -> None:
    query = compile_statement("SELECT name FROM users WHERE town = 'Oslo' LIMIT 3", piql.compile(SCHEMA))
    assert not query.is_bounded
    assert [diagnostic.code for diagnostic in query.diagnostics] == ["missing-index"]


def test_a_bare_statement_does_not_widen_an_index_but_fetches_the_rows() -> None:
    schema = SCHEMA + "CREATE TABLE notes (id INT PRIMARY KEY, owner INT, body TEXT, CARDINALITY LIMIT 5 (owner));"
    query = compile_statement("SELECT body FROM notes WHERE owner = 1", piql.compile(schema))
    assert query.bound is not None
    assert query.bound.formula == "1 + notes.owner"


def test_the_path_of_a_segment_leads_to_its_relation() -> None:
    queries = {
        "joined": "SELECT f.target FROM users u JOIN follows f ON f.target = u.name WHERE u.town = 'x'",
        "counted": "SELECT COUNT(*) AS n FROM users WHERE town = 'x'",
        "united": "SELECT name FROM users WHERE name = 'x' UNION SELECT name FROM users WHERE town = 'x'",
        "within": "SELECT d.n FROM (SELECT COUNT(*) AS n FROM users WHERE town = 'x') d",
        "tested": "SELECT name FROM users WHERE name = 'x' AND NOT EXISTS (SELECT 1 AS one FROM follows f, users v)",
    }
    text = SCHEMA + "".join(f"CREATE QUERY {name} AS {body};\n" for name, body in queries.items())
    for name, query in piql.compile(text).queries.items():
        assert query.unbounded, name
        for segment in query.unbounded:
            node = query.logical
            for step in segment.path:
                assert not isinstance(node, Insert | Update | Delete | None)
                node = inputs(node)[step]
            assert isinstance(node, Relation), name
            assert node.table.name == segment.table


def test_the_outputs_of_a_plan_know_where_the_text_lists_them() -> None:
    (query,) = piql.compile(SCHEMA + FOUND).queries.values()
    assert query.plan is not None
    assert query.plan.span is not None
    assert query.plan.span.text == "town"
