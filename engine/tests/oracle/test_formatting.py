"""Whatever is formatted means what it meant, keeps its comments, and stays as it is when formatted again."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable, Sequence

import piql
import pytest
from piql.compiler.binding.conversion import as_sql
from piql.compiler.syntax import ast
from piql.compiler.syntax.lexer import tokenize
from piql.compiler.syntax.parser import parse
from piql.compiler.syntax.printer import print_file
from piql.text.source import Source

from .side_by_side import results
from .world import random_world

WORLDS = int(os.environ.get("PIQL_FORMAT_WORLDS", "4"))
LONG_WORLDS = int(os.environ.get("PIQL_FORMAT_LONG_WORLDS", "1000"))
PARTS = 2
BETWEEN = (" ", "  ", "\n", "\n\n\n", "\t", "\r\n", " /* a */ ", "\n-- b\n", " -- c\n  -- d\n", "// g\n")

Print = Callable[[ast.ParsedFile], str]


def scattered(rng: random.Random, text: str) -> str:
    """Write the same tokens with other space, and comments, between some of them."""
    parts, at = [], 0
    for token in tokenize(Source(text)).tokens:
        between = text[at : token.start]
        parts.append(rng.choice(BETWEEN) if between and rng.random() < 0.15 else between)
        parts.append(text[token.start : token.end])
        at = token.end
    return "".join(parts)


def in_sql(file: ast.ParsedFile) -> str:
    return print_file(as_sql([file])[0])


def meaning(text: str) -> tuple[dict[str, object], Counter[str]]:
    """Return the bound of each query, and how often each finding is made."""
    compilation = piql.compile(text)
    bounds: dict[str, object] = {}
    for name, query in compilation.queries.items():
        bound = query.bound
        parameters = [
            (parameter.name, str(parameter.type), parameter.max_value, parameter.max_items)
            for parameter in query.parameters
        ]
        numbers = bound and (bound.operations, bound.round_trips, bound.rows, bound.bytes, bound.formula, bound.puts)
        bounds[name] = (query.kind, query.scaling_class, numbers, parameters)
    return bounds, Counter(diagnostic.code for diagnostic in compilation.diagnostics)


def said(comments: Sequence[object]) -> list[str]:
    """Return the words of comments, however they are written."""
    return sorted(" ".join(str(comment.text).strip("-/* \r\n").split()) for comment in comments)  # type: ignore[attr-defined]


def check(seed: int) -> int:
    """Format a random schema with random queries in both ways; gives how many queries have a bound."""
    rng = random.Random(seed)
    world = random_world(seed, reads=5, writes=2)
    text = scattered(rng, world.source(*world.reads, *world.writes))
    parsed = parse(Source(text))
    assert not parsed.diagnostics, text
    before = meaning(text)
    ways: tuple[Print, ...] = (print_file, in_sql)
    for written in ways:
        once = written(parsed)
        again = parse(Source(once))
        assert not again.diagnostics, (text, once)
        assert said(again.comments) == said(parsed.comments), (text, once)
        assert print_file(again) == once, (text, once)
        assert meaning(once) == before, (text, once)
    assert "FETCH" not in {token.word for token in tokenize(Source(in_sql(parsed))).tokens}, text
    assert again.statements == parse(Source(in_sql(parse(Source(print_file(parsed)))))).statements
    return sum(statement[2] is not None for statement in before[0].values())  # type: ignore[index]


@pytest.mark.parametrize("part", range(PARTS))
def test_a_formatted_text_has_the_bounds_and_findings_it_had_in_either_dialect(part: int) -> None:
    bounded = sum(check(70_000 + part * 1000 + number) for number in range(WORLDS // PARTS))
    assert bounded > WORLDS // PARTS


@pytest.mark.long
def test_a_thousand_formatted_texts_have_the_bounds_and_findings_they_had() -> None:
    assert sum(results(check, range(80_000, 80_000 + LONG_WORLDS))) > LONG_WORLDS
