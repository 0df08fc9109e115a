"""The reference under docs/reference/ says what the code says. `pytest --update-golden` writes its pages anew."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import piql
import pytest
from piql.compiler.syntax.parser import parse
from piql.editor.service.semantic_tokens import semantic_tokens
from piql.text.diagnostics.report import CODES
from piql.text.source import Source
from reference import codes, reference_pages, settings
from reference.grammar import derive, keywords
from reference.mended import MENDED
from reference.statements import LEFT_OUT

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs" / "reference"
PARSER = ("cursor", "definitions", "entities", "expressions", "parser", "queries", "with_clauses", "writes")
NO_KEYWORDS = frozenset("FORM FRM FRON FRO FRMO FROMM ROM DATE TIMESTAMP DOUBLE PRECISION ROW ROWS MIN".split())


def test_the_pages_are_those_that_the_code_gives(request: pytest.FixtureRequest) -> None:
    pages = reference_pages()
    stored = {page.relative_to(REFERENCE).as_posix(): page.read_text() for page in REFERENCE.glob("**/*.md")}
    if request.config.getoption("--update-golden", default=False):
        for name in stored.keys() - pages.keys():
            (REFERENCE / name).unlink()
        for name, text in pages.items():
            (REFERENCE / name).parent.mkdir(parents=True, exist_ok=True)
            (REFERENCE / name).write_text(text)
        return
    differing = sorted(name for name in pages.keys() | stored.keys() if pages.get(name) != stored.get(name))
    assert not differing, f"run `make golden` and review the diff of {', '.join(differing)}"


@pytest.mark.parametrize("slug", CODES)
def test_the_mended_example_of_a_code_compiles_without_it(slug: str) -> None:
    entry = CODES[slug]
    text = codes.example(entry)
    mended = codes.mended(entry, text, codes.finding_of(entry, text))
    diagnostics = piql.compile(mended).diagnostics
    assert [
        diagnostic.message for diagnostic in diagnostics if diagnostic.severity == "error" or diagnostic.code == slug
    ] == []


def test_every_code_that_is_mended_by_hand_exists() -> None:
    assert MENDED.keys() <= CODES.keys()


def test_what_the_grammar_derives_is_read_without_a_finding() -> None:
    used: set[str] = set()
    for seed in range(600):
        sentence = derive("statement", Random(seed))
        used.update(sentence.split())
        codes_reported = {diagnostic.code for diagnostic in parse(Source(sentence)).diagnostics}
        # a long sum is grammar, too, but no compiler reads any length, and what stands behind it has lost its beginning
        assert not codes_reported or "too-many" in codes_reported, sentence
    assert keywords() <= used


def test_every_keyword_of_the_parser_stands_in_the_grammar_or_is_said_to_be_left_out() -> None:
    texts = [(Path(piql.__file__).parent / "compiler" / "syntax" / f"{name}.py").read_text() for name in PARSER]
    words = {word for text in texts for word in re.findall(r'"([A-Z]{2,})"', text)}
    left_out = {word for what, _ in LEFT_OUT for word in what.split()}
    assert words - keywords() - left_out - NO_KEYWORDS == set()


def test_every_keyword_of_the_grammar_is_coloured_as_one() -> None:
    kinds = {word: semantic_tokens({"a.piql": f"{word} ("}, "a.piql")[0].type for word in keywords()}
    plain = sorted(word for word, kind in kinds.items() if kind not in ("keyword", "type", "function"))
    assert plain == []


def test_every_variable_that_the_code_reads_is_documented() -> None:
    files = [file for folder in ("engine", "profiler", "backend", "tools") for file in (ROOT / folder).glob("**/*.py")]
    read = {
        name for file in files for name in re.findall(r"environ(?:\.get\(|\[)\"([A-Z_]+)\"(?!\] = )", file.read_text())
    }
    assert read <= settings.variables().keys() | settings.OTHERS.keys()


def test_every_link_of_the_documentation_leads_somewhere() -> None:
    dead = []
    for document in (
        ROOT / "README.md",
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("*/README.md"),
        *ROOT.glob("sample-apps/*/README.md"),
    ):
        for target, heading in re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", document.read_text()):
            if "://" in target:
                continue
            page = document.parent / target if target else document
            if not page.exists() or (heading and heading not in anchors(page)):
                dead.append(f"{document.relative_to(ROOT)}: {target}#{heading}")
    assert dead == []


def anchors(page: Path) -> set[str]:
    """Return what links may name behind a `#`: the headings of a page, in small letters with hyphens for blanks."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
