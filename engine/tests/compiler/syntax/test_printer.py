"""The formatter: it changes the look and nothing else."""

from __future__ import annotations

import piql
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from piql.compiler.binding.conversion import as_sql
from piql.compiler.syntax.parser import parse
from piql.compiler.syntax.printer import print_file
from piql.text.source import Source

from .samples import ALL, ENTITIES, EVERY_CONSTRUCT, SCHEMA, THOUGHTSTREAM


def formatted(text: str) -> str:
    return print_file(parse(Source(text)))


def test_formatting_keeps_the_meaning() -> None:
    before, after = parse(Source(ALL)), parse(Source(formatted(ALL)))
    assert not after.diagnostics
    assert before.statements == after.statements


def test_a_text_that_is_formatted_already_stays() -> None:
    assert formatted(SCHEMA.replace(");\n", ");\n\n").rstrip() + "\n").count("CARDINALITY") == 1
    once = formatted(ALL)
    assert formatted(once) == once


def test_a_text_with_an_error_is_left_alone() -> None:
    text = THOUGHTSTREAM + "CREATE  QUERY  broken"
    assert formatted(text) == text


def test_entities_and_fetches_have_the_same_bounds_in_sql() -> None:
    written = print_file(as_sql([parse(Source(ENTITIES))])[0])
    assert "ENTITY" not in written
    assert "FETCH" not in written
    before, after = piql.compile(ENTITIES), piql.compile(written)
    assert before.queries
    assert {name: compiled.bound and compiled.bound.formula for name, compiled in before.queries.items()} == {
        name: compiled.bound and compiled.bound.formula for name, compiled in after.queries.items()
    }
    assert [diagnostic.code for diagnostic in before.diagnostics] == [
        diagnostic.code for diagnostic in after.diagnostics
    ]


def test_a_parameter_without_a_name_gets_one_where_it_stands_for_several_columns() -> None:
    text = ENTITIES + "QUERY walks FETCH Visit OF Pet BY pet WHERE Pet = $1 LIMIT $2 MAX 5\n"
    text = text[: text.index("QUERY petsOf")] + text[text.index("QUERY walks") :]
    written = print_file(as_sql([parse(Source(text))])[0])
    assert "None" not in written
    assert "[p2] MAX 5" in written
    before, after = piql.compile(text).queries["walks"], piql.compile(written).queries["walks"]
    assert before.bound is not None
    assert before.bound == after.bound


COMMENTS = st.sampled_from(
    ["-- one\n", "/* two */", "\n\n-- three\n\n", "\n/* four\n   lines */\n", " -- five\n-- six\n"]
)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 10_000), COMMENTS), max_size=5))
def test_comments_are_kept_wherever_they_stand(comments: list[tuple[int, str]]) -> None:
    words = (EVERY_CONSTRUCT + ENTITIES).split(" ")
    for position, comment in comments:
        words.insert(position % len(words), comment)
    text = " ".join(words)
    parsed = parse(Source(text))
    if parsed.diagnostics:  # a comment inside a quoted text is none
        return
    once = formatted(text)
    again = parse(Source(once))
    assert sorted(comment.text.strip() for comment in again.comments) == sorted(
        comment.text.strip() for comment in parsed.comments
    )
    assert again.statements == parsed.statements
    assert formatted(once) == once


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("-1::TEXT", "-1::TEXT"),
        ("-(1::TEXT)", "-1::TEXT"),
        ("- 1 :: TEXT", "-1::TEXT"),
        ("(-1)::TEXT", "(-1)::TEXT"),
        ("-a::TEXT", "-a::TEXT"),
        ("(-a)::TEXT", "(-a)::TEXT"),
        ("-(-1)::TEXT", "-(-1)::TEXT"),
        ("-(-(1::INT))", "- -1::INT"),
    ],
)
def test_a_minus_binds_less_tightly_than_a_cast_in_either_direction(written: str, printed: str) -> None:
    text = f"CREATE QUERY q AS SELECT {written} AS x FROM t;\n"
    once = formatted(text)
    assert once.splitlines()[1] == f"SELECT {printed} AS x"
    assert parse(Source(once)).statements == parse(Source(text)).statements
