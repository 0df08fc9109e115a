"""Long texts: they are read in memory of some bytes a character, or refused with a reason."""

from __future__ import annotations

import tracemalloc

import piql
import pytest
from piql.compiler.syntax.cursor import MAX_TOKENS
from piql.compiler.syntax.lexer import tokenize
from piql.compiler.syntax.parser import MAX_WORK, parse
from piql.compiler.syntax.pieces import MOST_CHARACTERS, cut
from piql.text.source import Source

LONG = 300_000
BYTES_A_CHARACTER = 25
TABLE = "CREATE TABLE t (k INT PRIMARY KEY, s VARCHAR(20));\n"
QUERY = "CREATE QUERY q AS SELECT k FROM t WHERE k = 1"
TEXTS = {
    "text": f"{TABLE}{QUERY} AND s = '{'x' * LONG}';",
    "quotes in a text": f"{TABLE}{QUERY} AND s = '{chr(39) * LONG}';",
    "text without an end": f"{TABLE}{QUERY} AND s = '{'x' * LONG}",
    "comment": f"{TABLE}/*{'x' * LONG}*/ {QUERY};",
    "stars in a comment": f"{TABLE}/*{'*' * LONG}*/ {QUERY};",
    "comment without an end": f"{TABLE}/*{'x' * LONG}",
    "line comment": f"{TABLE}--{'x' * LONG}\n{QUERY};",
    "blanks": f"{TABLE}{' ' * LONG}{QUERY};",
    "lines": TABLE + "\n" * LONG + QUERY,
    "name": f"CREATE TABLE {'x' * LONG} (k INT PRIMARY KEY);",
    "quoted name": f'CREATE TABLE "{"é" * LONG}" (k INT PRIMARY KEY);',
    "quotes in a name": f'CREATE TABLE "{chr(34) * LONG}" (k INT PRIMARY KEY);',
    "blob": f"CREATE TABLE t (k INT PRIMARY KEY, s BLOB);\n{QUERY} AND s = X'{'0' * LONG}';",
    "number": f"{TABLE}CREATE QUERY q AS SELECT k FROM t WHERE k = {'1' * LONG};",
    "signs without a meaning": TABLE + "#" * LONG,
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_long_token_takes_some_bytes_a_character(name: str) -> None:
    piql.compile(TABLE + QUERY)
    tracemalloc.start()
    try:
        list(piql.compile(TEXTS[name]).diagnostics)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < BYTES_A_CHARACTER * LONG


def test_a_file_that_is_too_long_is_refused_with_what_is_too_long_about_it() -> None:
    compilation = piql.compile({"short.piql": TABLE, "long.piql": " " * (MOST_CHARACTERS + 1)})
    (finding,) = compilation.diagnostics
    assert (finding.code, finding.span.file) == ("too-many", "long.piql")
    assert "16,000,001 characters" in finding.message
    assert "t" in compilation.tables


def test_a_text_of_many_tokens_is_cut_up_to_what_is_compiled() -> None:
    most = MAX_WORK + MAX_TOKENS
    source = Source("a " * (most + 10))
    assert len(tokenize(source, most).tokens) == most + 1  # and the end
    findings = parse(source, MAX_WORK).diagnostics
    assert findings[-1].code == "too-many"
    assert findings[-1].span.start == 2 * most


def test_what_stands_behind_the_last_token_that_is_read_is_not_lost_in_silence() -> None:
    text = "SELECT (" * (MAX_WORK + MAX_TOKENS) + f";\n{TABLE}"
    assert "too-many" in [finding.code for finding in piql.compile(text).diagnostics]


def test_a_byte_order_mark_at_the_beginning_is_blank() -> None:
    text = f"{TABLE}{QUERY};\n"
    compilation = piql.compile(f"\ufeff{text}")
    assert compilation.diagnostics == piql.compile(text).diagnostics == ()
    assert compilation.queries["q"].span.text == QUERY
    assert compilation.queries["q"].span.start == 1 + text.index("CREATE QUERY")
    assert piql.compile({"a.piql": f"\ufeff{TABLE}", "b.piql": f"\ufeff{QUERY};"}).queries["q"].is_bounded
    assert piql.compile(f"\ufeff{TABLE}oops").diagnostics[0].span.text == "oops"


def test_a_long_text_of_one_piece_is_cut_again_when_it_is_short_again() -> None:
    long = cut(Source(" " * (MOST_CHARACTERS + 1), "a"))
    assert [file.diagnostics[0].code for file in long.files] == ["too-many"]
    assert [file.diagnostics for file in cut(Source(TABLE, "a"), long).files][:1] == [()]
