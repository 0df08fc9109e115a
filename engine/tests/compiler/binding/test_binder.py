"""Trees to catalog and plans: spans, names, several files, what is deployed already; the rest is in golden files."""

from __future__ import annotations

import piql
import pytest
from piql.compiler.binding.binder import BoundProgram, bind, bind_statement
from piql.compiler.logical import operators as logical
from piql.compiler.logical.expressions import And, ColumnRef, Comparison, Constant, Parameter
from piql.compiler.logical.format import format_plan
from piql.compiler.syntax import ast
from piql.compiler.syntax.parser import parse
from piql.schema.catalog import CardinalityLimit, ForeignKey, Kind
from piql.text.source import Source

SCHEMA = """CREATE TABLE users (username VARCHAR(32) PRIMARY KEY, hometown VARCHAR(64));
CREATE TABLE subscriptions (
  owner VARCHAR(32) REFERENCES users,
  target VARCHAR(32) REFERENCES users MAX 7,
  editor VARCHAR(32) NULL REFERENCES users,
  approved BOOLEAN,
  PRIMARY KEY (owner, target),
  CONSTRAINT few CARDINALITY LIMIT 100 (owner)
);
"""


def bound(*texts: str) -> BoundProgram:
    return bind([parse(Source(text, f"{number}.piql")) for number, text in enumerate(texts)])


def plan_of(query: str) -> logical.LogicalNode:
    program = bound(SCHEMA, f"CREATE QUERY q AS {query};")
    assert not program.diagnostics
    plan = program.queries[0].plan
    assert not isinstance(plan, logical.Insert | logical.Update | logical.Delete | None)
    return plan


def test_the_catalog_says_what_the_schema_says() -> None:
    table = bound(SCHEMA).catalog.tables["subscriptions"]
    assert [(column.name, column.nullable) for column in table.columns] == [
        ("owner", False),
        ("target", False),
        ("editor", True),
        ("approved", True),
    ]
    assert table.primary_key == ("owner", "target")
    assert table.foreign_keys == tuple(
        ForeignKey((name,), "users", ("username",)) for name in ("owner", "target", "editor")
    )
    assert table.limits == (CardinalityLimit(7, ("target",)), CardinalityLimit(100, ("owner",), name="few"))


def test_the_catalog_knows_its_places_in_the_text() -> None:
    table = bound(SCHEMA).catalog.tables["subscriptions"]
    spans = [
        table.name_span,
        table.key_span,
        table.limits[1].span,
        table.limits[1].limit_span,
        table.limits[0].limit_span,
    ]
    assert [span.text for span in spans if span is not None] == [
        "subscriptions",
        "PRIMARY KEY (owner, target)",
        "CONSTRAINT few CARDINALITY LIMIT 100 (owner)",
        "100",
        "7",
    ]
    assert table.foreign_keys[0].span is not None
    assert table.foreign_keys[0].span.text == "REFERENCES users"


def test_every_operator_knows_its_clause() -> None:
    text = (
        "SELECT DISTINCT s.owner, COUNT(*) AS n FROM subscriptions s JOIN users u ON u.username = s.target "
        "WHERE s.approved AND s.owner = [1: me] GROUP BY s.owner HAVING COUNT(*) > 1 ORDER BY n DESC LIMIT [2: k] MAX 9"
    )
    plan = plan_of(text)
    spans = {type(node).__name__: node.span.text for node in plan.walk() if getattr(node, "span", None) is not None}
    expected = {
        "Stop": "LIMIT [2: k] MAX 9",
        "Distinct": "DISTINCT",
        "Sort": "ORDER BY n DESC",
        "GroupBy": "GROUP BY s.owner",
        "Join": "JOIN users u ON u.username = s.target",
        "Projection": "s.owner, COUNT(*) AS n",
    }
    assert {name: spans[name] for name in expected} == expected
    assert [node.span.text for node in plan.find(logical.Selection) if node.span] == [
        "COUNT(*) > 1",
        "s.approved AND s.owner = [1: me]",
    ]
    assert [node.span.text for node in plan.find(logical.Relation) if node.span] == ["subscriptions s", "users u"]
    (count,) = plan.find(logical.Count)
    assert count.max_span is not None
    assert count.max_span.text == "9"


def test_every_expression_has_a_span() -> None:
    plan = plan_of("SELECT owner FROM subscriptions WHERE approved AND owner BETWEEN 'a' AND :b OR target IN (:c, 'd')")
    expressions = [
        *plan.find(ColumnRef),
        *plan.find(Constant),
        *plan.find(Comparison),
        *plan.find(Parameter),
        *plan.find(And),
    ]
    assert len(expressions) > 8
    assert all(expression.span is not None and expression.span.text for expression in expressions)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT OWNER FROM Subscriptions WHERE Owner = 'a'",
        "SELECT s.owner FROM subscriptions S WHERE \"s\".oWNER = 'a'".replace('"s"', "s"),
        'SELECT "owner" FROM "subscriptions" WHERE "subscriptions"."owner" = \'a\'',
    ],
)
def test_names_match_whatever_their_case_and_keep_the_declared_spelling(query: str) -> None:
    plan = plan_of(query)
    assert {column.name for column in plan.find(ColumnRef)} == {"owner"}
    assert {relation.table.name for relation in plan.find(logical.Relation)} == {"subscriptions"}


def test_names_in_quotes_match_exactly() -> None:
    program = bound(SCHEMA, 'CREATE QUERY q AS SELECT "Owner" FROM "Subscriptions";')
    assert [diagnostic.code for diagnostic in program.diagnostics] == ["unknown-table"]


def test_files_are_bound_together_in_any_order() -> None:
    program = bound(
        "CREATE QUERY q AS SELECT b FROM late WHERE a = 1;",
        "CREATE TABLE late (a INT PRIMARY KEY, b INT REFERENCES later);",
        "CREATE TABLE later (a INT PRIMARY KEY);",
    )
    assert not program.diagnostics
    assert list(program.catalog.tables) == ["late", "later"]


def test_findings_come_in_the_order_of_the_files_and_their_text() -> None:
    program = bound("CREATE QUERY a AS SELECT x FROM y;\nCREATE TABLE t (a INT);", "CREATE QUERY b AS SELECT;")
    assert [(diagnostic.span.file, diagnostic.code) for diagnostic in program.diagnostics] == [
        ("0.piql", "unknown-table"),
        ("0.piql", "missing-primary-key"),
        ("1.piql", "syntax-error"),
    ]


def test_what_is_deployed_is_known_and_replaced_by_name() -> None:
    deployed = bound(SCHEMA).catalog
    program = bind(
        [parse(Source("CREATE TABLE USERS (id INT PRIMARY KEY);\nCREATE QUERY q AS SELECT owner FROM subscriptions;"))],
        deployed,
    )
    assert not program.diagnostics
    assert list(program.catalog.tables) == ["subscriptions", "USERS"]


@pytest.mark.parametrize(
    ("text", "kind", "shown"),
    [
        ("SELECT hometown FROM users WHERE username = 'a'", "select", "Projection users.hometown"),
        ("INSERT INTO users VALUES ('a', NULL)", "insert", "Insert users: username = 'a', hometown = NULL"),
        (
            "UPDATE users SET hometown = 'x' WHERE username = 'a'",
            "update",
            "Update users (username = 'a'): hometown = 'x'",
        ),
        ("DELETE FROM users WHERE username = :u;", "delete", "Delete users (username = [u])"),
    ],
)
def test_a_bare_statement_is_bound_against_a_catalog(text: str, kind: str, shown: str) -> None:
    (statement,) = parse(Source(text)).statements
    assert isinstance(statement, ast.Select | ast.UnionQuery | ast.Insert | ast.Update | ast.Delete)
    query = bind_statement(statement, bound(SCHEMA).catalog)
    assert (query.name, query.kind, query.diagnostics, query.has_errors) == ("", kind, (), False)
    assert query.plan is not None
    assert format_plan(query.plan).split("\n")[0] == shown


def test_a_broken_table_says_nothing_about_its_columns_elsewhere() -> None:
    program = bound("CREATE TABLE t (a INT PRIMARY KEY, b ###);\nCREATE QUERY q AS SELECT b, c FROM t WHERE t.d = 1;")
    assert {diagnostic.code for diagnostic in program.diagnostics} == {"unknown-character"}
    assert program.queries[0].plan is None
    assert program.queries[0].has_errors


def test_a_broken_query_is_there_with_its_name_kind_and_places() -> None:
    program = bound("CREATE QUERY q AS DELETE FROM WHERE;")
    (query,) = program.queries
    assert (query.name, query.kind, query.plan, query.name_span.text) == ("q", "delete", None, "q")
    assert [diagnostic.query for diagnostic in program.diagnostics] == ["q"]


def test_a_refused_offset_leaves_the_plan_to_look_at() -> None:
    program = bound(SCHEMA, "CREATE QUERY q AS SELECT username FROM users LIMIT 5 OFFSET 10;")
    (query,) = program.queries
    assert query.has_errors
    assert isinstance(query.plan, logical.Stop)


def test_the_right_side_of_a_left_join_may_be_null() -> None:
    plan = plan_of("SELECT s.owner, u.username FROM subscriptions s LEFT JOIN users u ON u.username = s.target")
    assert isinstance(plan, logical.Projection)
    assert [output.expression.nullable for output in plan.outputs if isinstance(output.expression, ColumnRef)] == [
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("type", "literal", "kind", "value"),
    [
        ("INT", "5", Kind.INT, 5),
        ("INT", "-2147483648", Kind.INT, -(2**31)),
        ("INT", "3.0", Kind.INT, 3),
        ("BIGINT", "5", Kind.BIGINT, 5),
        ("DOUBLE", "5", Kind.DOUBLE, 5.0),
        ("VARCHAR(2)", "'longer than two'", Kind.VARCHAR, "longer than two"),
        ("TEXT", "'it''s'", Kind.TEXT, "it's"),
        ("BLOB", "X'00fF'", Kind.BLOB, b"\x00\xff"),
        ("BOOLEAN", "TRUE", Kind.BOOLEAN, True),
    ],
)
def test_a_literal_takes_the_type_of_the_column_it_meets(type: str, literal: str, kind: Kind, value: object) -> None:
    program = bound(
        f"CREATE TABLE t (id INT PRIMARY KEY, c {type});\nCREATE QUERY q AS SELECT id FROM t WHERE c = {literal};"
    )
    assert not program.diagnostics
    assert program.queries[0].plan is not None
    (constant,) = program.queries[0].plan.find(Constant)
    assert (constant.type.kind, constant.value) == (kind, value)
    assert constant.value.__class__ is value.__class__


def test_equal_queries_have_equal_plans_wherever_they_stand() -> None:
    text = "SELECT owner FROM subscriptions WHERE owner = :a AND approved LIMIT 3"
    assert plan_of(text) == plan_of("  " + text.replace(" WHERE", "\n WHERE"))


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (
            'CREATE TABLE "Foo" (k INT PRIMARY KEY); CREATE TABLE "foo" (k INT PRIMARY KEY);',
            "duplicate-table",
            '"Foo" and "foo" differ only in upper and lower case, which the names of tables may not',
        ),
        (
            'CREATE TABLE t (k INT PRIMARY KEY, "Foo" INT, foo INT);',
            "duplicate-column",
            '"Foo" and "foo" differ only in upper and lower case, which the names of columns may not',
        ),
        (
            "CREATE TABLE t (k INT PRIMARY KEY); CREATE QUERY q AS SELECT k FROM t WHERE k = 1;"
            ' CREATE QUERY "Q" AS SELECT k FROM t WHERE k = 2;',
            "duplicate-query",
            '"q" and "Q" differ only in upper and lower case, which the names of queries may not',
        ),
    ],
)
def test_names_that_differ_in_case_alone_are_refused_in_these_words(text: str, code: str, message: str) -> None:
    (finding,) = piql.compile(text).diagnostics
    assert (finding.code, finding.message) == (code, message)


def test_a_name_in_quotes_means_what_is_called_exactly_so() -> None:
    table = 'CREATE TABLE "Foo" ("Key" INT PRIMARY KEY);\n'
    for query in ('SELECT "Key" FROM "Foo" WHERE "Key" = 1', "SELECT KEY FROM foo WHERE key = 1"):
        assert piql.compile(f"{table}CREATE QUERY q AS {query};").queries["q"].is_bounded
    for query in ('SELECT "key" FROM "Foo" WHERE "Key" = 1', 'SELECT "Key" FROM "foo" WHERE "Key" = 1'):
        assert not piql.compile(f"{table}CREATE QUERY q AS {query};").queries["q"].is_bounded


@pytest.mark.parametrize(
    ("words", "types"),
    [
        ("COALESCE([p], b)", {"p": "VARCHAR"}),
        ("COALESCE([p], NULL, b)", {"p": "VARCHAR"}),
        ("COALESCE([p], [q], b)", {"p": "VARCHAR", "q": "VARCHAR"}),
        ("COALESCE([p], COALESCE([q], a))", {"p": "INT", "q": "INT"}),
        ("COALESCE([p], a, d)", {"p": "DECIMAL"}),
        ("COALESCE([p], 'x')", {"p": "TEXT"}),
        ("COALESCE([p], NULL) = b", {"p": "VARCHAR"}),
        ("b = COALESCE([p], [q])", {"p": "VARCHAR", "q": "VARCHAR"}),
    ],
)
def test_a_parameter_of_coalesce_takes_the_type_of_the_rest_wherever_it_stands(
    words: str, types: dict[str, str]
) -> None:
    table = "CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(20), d DECIMAL(8, 2));"
    compilation = piql.compile(f"{table} CREATE QUERY q AS SELECT {words} AS x FROM t WHERE id = 1;")
    assert not compilation.has_errors
    assert {parameter.name: str(parameter.type) for parameter in compilation.queries["q"].parameters} == types


@pytest.mark.parametrize(
    ("write", "name"),
    [
        ("UPDATE t SET a = EXCLUDED.a WHERE id = 1", "EXCLUDED"),
        ("UPDATE t SET a = 1 WHERE id = 1 IF x.a = 1", "x"),
        ("DELETE FROM t WHERE x.id = 1", "x"),
        ("INSERT INTO t (id) VALUES (1) RETURNING x.id", "x"),
        ("INSERT INTO t (id) VALUES (1) RETURNING x.*", "x"),
        ("INSERT INTO t (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET a = x.a", "x"),
    ],
)
def test_a_message_about_a_write_speaks_of_its_table_and_not_of_a_from(write: str, name: str) -> None:
    text = f"CREATE TABLE t (id INT PRIMARY KEY, a INT);\nCREATE QUERY q AS {write};"
    (finding,) = [finding for finding in piql.compile(text).diagnostics if finding.severity == "error"]
    assert (finding.code, finding.span.text) == ("unknown-relation", name)
    assert finding.message == f"this write reads only its row of t, and nothing of {name}"


def test_a_misspelt_name_of_with_is_told_like_that_of_a_table() -> None:
    text = "CREATE TABLE t (id INT PRIMARY KEY);\nCREATE QUERY q AS WITH friends AS (SELECT id FROM t WHERE id = 1)\n"
    (finding,) = piql.compile(f"{text}SELECT id FROM freinds;").diagnostics
    assert [edit.text for fix in finding.fixes for edit in fix.edits] == ["friends"]


@pytest.mark.parametrize("choice", ["COALESCE([p], '2026-01-31')", "NULLIF([p], '2026-01-31')", "'2026-01-31'",
                                    "CASE WHEN id = 1 THEN '2026-01-31' ELSE [p] END"])  # fmt: skip
@pytest.mark.parametrize(
    "test",
    ["{choice} = day", "day = {choice}", "{choice} IS NOT DISTINCT FROM day", "{choice} IN (day, day)",
     "{choice} BETWEEN day AND day", "({choice}, 1) = (day, id)", "{choice} = COALESCE(day, '2026-02-01')",
     "{choice} IN (SELECT x.day FROM t x WHERE x.id = 2)"],
)  # fmt: skip
def test_a_choice_among_literals_and_parameters_takes_the_type_of_the_other_side(choice: str, test: str) -> None:
    table = "CREATE TABLE t (id INT PRIMARY KEY, day DATE);"
    where = test.format(choice=choice)
    compilation = piql.compile(f"{table} CREATE QUERY q AS SELECT id FROM t WHERE id = 1 AND {where};")
    assert not compilation.has_errors
    assert {str(parameter.type) for parameter in compilation.queries["q"].parameters} <= {"DATE"}


def test_a_fetch_is_ordered_by_the_fetched_column_where_several_steps_have_one_of_that_name() -> None:
    tables = (
        "CREATE TABLE users (id INT PRIMARY KEY, text INT);"
        "CREATE TABLE posts (id INT PRIMARY KEY, text INT, owner INT REFERENCES users, CARDINALITY LIMIT 9 (text));"
    )
    fetch = "QUERY fetched FETCH users OF posts BY owner WHERE posts.text = [1: t] ORDER BY"
    select = (
        "CREATE QUERY selected AS SELECT users.* FROM users JOIN posts ON posts.owner = users.id "
        "WHERE posts.text = [1: t] ORDER BY"
    )
    program = bound(tables, f"{fetch} TEXT DESC NULLS LAST, posts.id {select} TEXT DESC NULLS LAST, posts.id;")
    fetched, selected = (format_plan(query.plan) for query in program.queries if query.plan is not None)
    assert not program.diagnostics
    assert fetched == selected
    assert [finding.code for finding in bound(tables, f"{fetch} text + 1").diagnostics] == ["ambiguous-column"]
    assert [finding.code for finding in bound(tables, f"{select} text + 1;").diagnostics] == ["ambiguous-column"]
