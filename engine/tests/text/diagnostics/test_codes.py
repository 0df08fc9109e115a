"""The table of codes: every entry is true, and every code in use has an entry."""

from __future__ import annotations

import re
from pathlib import Path

import piql
import pytest
from piql.compiler import compile_statement
from piql.text.diagnostics.report import CODES

SOURCES = Path(piql.__file__).parent


@pytest.mark.parametrize("slug", CODES)
def test_the_example_of_a_code_raises_it(slug: str) -> None:
    code = CODES[slug]
    compilation = piql.compile(code.example)
    diagnostics = compilation.diagnostics
    if code.statement:
        assert not compilation.has_errors
        diagnostics = compile_statement(code.statement, compilation).diagnostics
    severities = {diagnostic.code: diagnostic.severity for diagnostic in diagnostics}
    assert severities.get(slug) == code.severity


@pytest.mark.parametrize("slug", CODES)
def test_a_code_is_explained(slug: str) -> None:
    code = CODES[slug]
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", slug)
    assert code.title[0].isupper()
    assert not code.title.endswith(".")
    assert code.explanation.endswith(".")


def test_every_code_in_use_has_an_entry() -> None:
    used = set()
    for file in SOURCES.glob("**/*.py"):
        used.update(re.findall(r"(?:report|fault|note)\(\s*\"([a-z]+(?:-[a-z]+)*)\"", file.read_text()))
    assert len(used) > 30
    assert used <= CODES.keys()
