"""Whatever was compiled before: an edited text gives what it gives when nothing was compiled before, in every field."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass

import piql
import pytest
from piql.compiler import Compiler
from piql.compiler.syntax.lexer import tokenize
from piql.compiler.syntax.pieces import Pieces, cut
from piql.text.source import Source, Span
from piql.trees import sharing

from .samples import ENTITIES, EVERY_CONSTRUCT, SCHEMA, THOUGHTSTREAM

WRITES = """CREATE QUERY put AS INSERT INTO thoughts (owner, posted, text) VALUES ([me], [now], [text]);
CREATE QUERY away AS DELETE FROM users WHERE username = [me];
"""
REFUSED = """CREATE QUERY scan AS SELECT username FROM users WHERE hometown = [town];
CREATE QUERY fans AS SELECT s.owner, u.hometown FROM subscriptions s JOIN users u ON u.username = s.owner
WHERE s.target = [me] ORDER BY u.hometown;
CREATE QUERY wrong AS SELECT usrname FROM users WHERE username = [me];
"""
UNITS = """CREATE UNIT join_up AS BEGIN
  INSERT INTO users (username, hometown) VALUES ([me], [town]) IF NOT EXISTS; -- first
  INSERT INTO subscriptions (owner, target) VALUES [friends] MAX 20;
END;
CREATE UNIT leave AS BEGIN
  LET town = (SELECT hometown FROM users WHERE username = [me]);
  DELETE FROM subscriptions WHERE owner = [me];
  DELETE FROM thoughts WHERE owner = [me];
  UPDATE users SET hometown = [town] WHERE username = [me] AND hometown = 'x; END;' RETURNING username;
END;
"""
BY_HAND = "CREATE INDEX by_town ON users (hometown DESC);\n"
QUERIES = """CREATE QUERY own AS SELECT posted, text FROM thoughts WHERE owner = [me] ORDER BY posted DESC PAGINATE 10;
CREATE QUERY of_town AS SELECT username FROM users WHERE hometown = [town] LIMIT 5;
CREATE QUERY of_me AS SELECT target FROM subscriptions WHERE owner = [me] AND target > 'a' LIMIT [n] MAX 7;
"""
SETS: list[dict[str, str]] = [
    {"": SCHEMA + THOUGHTSTREAM + QUERIES + WRITES + REFUSED},
    {"schema.piql": SCHEMA, "own.piql": QUERIES + WRITES, "more.piql": THOUGHTSTREAM + REFUSED},
    {"a.piql": REFUSED + BY_HAND + QUERIES, "b.piql": SCHEMA},
    {"old.piql": ENTITIES, "new.piql": SCHEMA + EVERY_CONSTRUCT},
    {"": SCHEMA + UNITS + QUERIES, "more.piql": UNITS.replace("UNIT ", "UNIT other_") + THOUGHTSTREAM},
]
PIECES = sorted(
    set(re.findall(r"\w+|'[^']*'|\S", SCHEMA + QUERIES + REFUSED + ENTITIES))
    | {
        "'",
        '"',
        "/*",
        "*/",
        "--",
        "\n",
        ";",
        "; ",
        "😀",
        "x'0",
        "hometown",
        "DESC",
        "CREATE UNIT u AS BEGIN ",
        "END;",
        "CREATE QUERY own AS SELECT 1;",
    }
)


@pytest.fixture(autouse=True)
def short_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make runs so short that the few pieces of these texts fill several, as a thousand queries do."""
    monkeypatch.setattr(sharing, "RUN", 2)
    monkeypatch.setattr(sharing, "LONGEST", 4)


def described(value: object) -> object:
    """Return a value as plain tuples, with the file, offsets, text and line of each span."""
    if isinstance(value, Span):
        assert "\0" not in value.file
        assert 0 <= value.start <= value.end <= len(value.source.text)
        return (value.file, value.start, value.end, value.text, value.line, value.utf16_column, value.end_line)
    if isinstance(value, Source):
        return (value.name, value.text)
    if isinstance(value, Mapping):
        return tuple((key, described(item)) for key, item in value.items())
    if isinstance(value, tuple):
        return tuple(map(described, value))
    if is_dataclass(value) and not isinstance(value, type):
        name = type(value).__name__.removeprefix("_Placed")
        return (name, *((field.name, described(getattr(value, field.name))) for field in fields(value)))
    assert not isinstance(value, str) or "\0" not in value or value == "\0"
    return value


def compiled_afresh(texts: dict[str, str]) -> piql.Compilation:
    return Compiler().compile(texts)


def edited(rng: random.Random, text: str) -> str:
    """Cut something out, put something in, or put a statement elsewhere."""
    at = rng.randrange(len(text) + 1)
    match rng.randrange(5):
        case 0:
            return text[:at] + text[at + rng.choice((1, 1, 3, 30, 300)) :]
        case 1 | 2:
            return text[:at] + rng.choice(PIECES) + text[at:]
        case 3:
            return text[:at] + rng.choice(PIECES) + text[at + rng.choice((1, 2, 8)) :]
    statements = text.split(";\n")
    moved = statements.pop(rng.randrange(len(statements)))
    statements.insert(rng.randrange(len(statements) + 1), moved)
    return ";\n".join(statements)


def check_edits(seed: int, count: int) -> None:
    rng = random.Random(seed)
    first = rng.choice(SETS)
    texts = dict(first)
    piql.compile(texts)
    for number in range(count):
        name = rng.choice(list(texts))
        before = dict(texts)
        texts[name] = edited(rng, texts[name])
        if rng.randrange(8) == 0:
            texts = dict(first)  # as when everything is taken back
        assert described(piql.compile(texts)) == described(compiled_afresh(texts)), (seed, number, before, texts)


@pytest.mark.parametrize("seed", range(5))
def test_a_compilation_after_edits_equals_a_fresh_one(seed: int) -> None:
    """Six edits of each set; the long test makes a hundred."""
    check_edits(seed, 6)


@pytest.mark.long
@pytest.mark.parametrize("seed", [*range(4, 8), *range(100, 140)])
def test_a_compilation_after_many_edits_equals_a_fresh_one(seed: int) -> None:
    check_edits(seed, 100)


def texts_of(pieces: Pieces) -> list[str]:
    return [file.source.text for file in pieces.files]


@pytest.mark.parametrize("seed", range(4))
def test_pieces_end_with_the_semicolons_of_the_lexer_however_the_text_came_about(seed: int) -> None:
    rng = random.Random(seed)
    text = SCHEMA + EVERY_CONSTRUCT + ENTITIES
    before = cut(Source(text))
    for _ in range(300):
        text = edited(rng, text) or SCHEMA
        now = cut(Source(text), before)
        ends = [token.end for token in tokenize(Source(text)).tokens if token.word == ";"]
        assert now.starts[1:] == [*ends, *([len(text)] if not ends or ends[-1] < len(text) else [])]
        assert texts_of(now) == texts_of(cut(Source(text)))
        before = now


@pytest.mark.parametrize("seed", range(4))
def test_a_unit_is_one_piece_however_the_text_came_about(seed: int) -> None:
    rng = random.Random(seed)
    before = cut(Source(SCHEMA + UNITS + QUERIES + UNITS))
    assert sum("CREATE UNIT" in text for text in texts_of(before)) == 4
    assert all(text.endswith("END;") for text in texts_of(before) if "CREATE UNIT" in text)
    for number in range(300):
        text = edited(rng, before.source.text) if number % 30 else SCHEMA + UNITS + QUERIES + UNITS
        now = cut(Source(text), before)
        assert texts_of(now) == texts_of(cut(Source(text))), text
        before = now


def test_a_unit_without_its_end_goes_on_up_to_the_next_definition() -> None:
    unfinished = "CREATE UNIT u AS BEGIN DELETE FROM t WHERE a = 1;"
    assert texts_of(cut(Source(f"{unfinished} DELETE FROM t;"))) == [f"{unfinished} DELETE FROM t;"]
    before = cut(Source(f"{unfinished} CREATE TABLE t (a INT PRIMARY KEY);"))
    assert [text.split()[1] for text in texts_of(before)] == ["UNIT", "TABLE"]
    assert len(cut(Source(f"{unfinished} DELETE FROM t (a INT PRIMARY KEY);"), before).files) == 1


def test_a_text_of_very_many_statements_is_one_piece() -> None:
    assert len(cut(Source(";" * 20_000)).files) == 1
    before = cut(Source("SELECT 1;\n" * 9_000))
    assert len(before.files) == 9_001
    assert len(cut(Source("SELECT 1;\n" * 12_000), before).files) == 1
