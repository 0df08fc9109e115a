"""Text to tree: names, precedence, spans."""

from __future__ import annotations

import pytest
from piql.compiler.syntax import ast
from piql.compiler.syntax.cursor import RESERVED
from piql.compiler.syntax.parser import parse
from piql.compiler.syntax.print_queries import print_expression
from piql.text.source import Source


def select(text: str) -> ast.Select:
    parsed = parse(Source(text))
    assert not parsed.diagnostics, parsed.diagnostics
    (statement,) = parsed.statements
    assert isinstance(statement, ast.Select)
    return statement


def condition(text: str) -> ast.Expression:
    where = select(f"SELECT a FROM t WHERE {text}").where
    assert where is not None
    return where


@pytest.mark.parametrize(
    ("text", "grouped"),
    [
        ("a = 1 OR b = 2 AND c = 3", "OR(a = 1, AND(b = 2, c = 3))"),
        ("(a = 1 OR b = 2) AND c = 3", "AND(OR(a = 1, b = 2), c = 3)"),
        ("NOT a = 1 AND b = 2", "AND(NOT a = 1, b = 2)"),
        ("a = 1 AND b = 2 AND c = 3", "AND(a = 1, b = 2, c = 3)"),
        ("a BETWEEN 1 AND 2 AND b = 3", "AND(a BETWEEN 1 AND 2, b = 3)"),
        ("a NOT BETWEEN 1 AND 2 OR b IS NOT NULL", "OR(a NOT BETWEEN 1 AND 2, b IS NOT NULL)"),
    ],
)
def test_conditions_are_grouped_by_precedence(text: str, grouped: str) -> None:
    def show(node: ast.Expression) -> str:
        if isinstance(node, ast.Junction):
            return f"{node.operator}({', '.join(map(show, node.operands))})"
        return print_expression(node)

    assert show(condition(text)) == grouped


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3", "1 + (2 * 3)"),
        ("1 - 2 - 3", "(1 - 2) - 3"),
        ("-a * 2", "(-a) * 2"),
        ("a || b || 'c'", "(a || b) || 'c'"),
    ],
)
def test_arithmetic_is_grouped_by_precedence(text: str, value: str) -> None:
    def show(node: ast.Expression) -> str:
        if isinstance(node, ast.Binary):
            return " ".join((inner(node.left), node.operator, inner(node.right)))
        return print_expression(node)

    def inner(node: ast.Expression) -> str:
        return f"({show(node)})" if isinstance(node, ast.Binary | ast.Unary) else show(node)

    (item,) = select(f"SELECT {text} AS x FROM t").items
    assert isinstance(item, ast.SelectItem)
    assert show(item.expression) == value


@pytest.mark.parametrize(
    "word",
    "timestamp text key date count words data max token table query index cardinality of this uuid value".split(),
)
def test_words_that_are_not_reserved_are_names_everywhere(word: str) -> None:
    text = f"CREATE TABLE {word} ({word} INT PRIMARY KEY, b INT);CREATE QUERY {word} AS SELECT x.{word}, {word} AS y "
    text += f"FROM {word} x WHERE {word} = [1: {word}] ORDER BY {word} LIMIT 1;"
    assert not parse(Source(text)).diagnostics


@pytest.mark.parametrize("word", sorted(RESERVED))
def test_reserved_words_are_names_in_quotes(word: str) -> None:
    text = f'CREATE TABLE "{word}" ("{word}" INT PRIMARY KEY);CREATE QUERY q AS SELECT "{word}" FROM "{word}";'
    assert not parse(Source(text)).diagnostics
    assert parse(Source(text.replace('"', ""))).diagnostics


@pytest.mark.parametrize(
    ("text", "name", "ordinal", "most"),
    [
        ("[1: me]", "me", 1, None),
        ("[me]", "me", None, None),
        (":me", "me", None, None),
        ("[2:friends] MAX 50", "friends", 2, 50),
        ("[ limit ]", "limit", None, None),
    ],
)
def test_parameters_are_written_in_three_ways(text: str, name: str, ordinal: int | None, most: int | None) -> None:
    node = condition(f"a = {text}")
    assert isinstance(node, ast.Binary)
    assert isinstance(node.right, ast.ParameterUse)
    assert (node.right.name, node.right.ordinal, node.right.max) == (name, ordinal, most)


def test_every_clause_knows_its_text() -> None:
    text = "SELECT DISTINCT a, t.b FROM t x LEFT JOIN u ON x.a = u.a WHERE (a = 1)"
    text += " GROUP BY a HAVING a > 1 ORDER BY a DESC LIMIT 5"
    query = select(text)
    assert query.from_clause is not None
    clauses = (query.distinct, query.items_span, query.from_clause.first, query.from_clause.joins[0], query.group)
    spans = [
        clause.span.text if isinstance(clause, ast.AstNode) else clause.text for clause in clauses if clause is not None
    ]
    assert spans == ["DISTINCT", "a, t.b", "t x", "LEFT JOIN u ON x.a = u.a", "GROUP BY a"]
    assert [
        clause.span.text for clause in (query.where, query.having, query.order, query.stop) if clause is not None
    ] == [
        "a = 1",
        "a > 1",
        "ORDER BY a DESC",
        "LIMIT 5",
    ]


def test_order_and_limit_behind_a_union_belong_to_the_whole() -> None:
    (query,) = parse(Source("SELECT a FROM t UNION ALL SELECT a FROM u ORDER BY a LIMIT 3")).statements
    assert isinstance(query, ast.UnionQuery)
    assert query.order is not None
    assert query.stop is not None
    assert [source.span.text for source in query.inputs] == ["SELECT a FROM t", "SELECT a FROM u"]
    assert all(source.order is None and source.stop is None for source in query.inputs)


def test_the_span_of_a_query_is_the_whole_statement_without_its_semicolon() -> None:
    (query,) = parse(Source("  CREATE QUERY q AS\nSELECT a FROM t ; ")).statements
    assert isinstance(query, ast.CreateQuery)
    assert query.span.text == "CREATE QUERY q AS\nSELECT a FROM t"
    assert query.body_span.text == "SELECT a FROM t"
    assert query.name.span.text == "q"
