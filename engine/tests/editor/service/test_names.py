"""What was found before never changes what is found: edited texts give the names that fresh ones give."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path

import pytest
from piql.compiler import texts_of
from piql.editor.service.names import Names
from piql.editor.service.navigation import references

SCADR = dict(texts_of(Path(__file__).resolve().parents[4] / "sample-apps" / "scadr"))
TYPED = ["", " ", ";", "\n", "'", "--", "/*", "*/", "u", "users", "owner AS o", "CREATE TABLE users (", "😀"]


def shown(texts: Mapping[str, str], prefix: str = "") -> list[tuple[object, ...]]:
    """Return every name with its place, and a number for what it means."""
    names = Names({prefix + name: text for name, text in texts.items()})
    numbers: dict[object, int] = {}
    return [
        (
            occurrence.span.file.removeprefix(prefix),
            occurrence.span.start,
            occurrence.span.text,
            occurrence.symbol.kind,
            occurrence.is_definition,
            numbers.setdefault(occurrence.symbol, len(numbers)),
        )
        for occurrence in names.all()
    ]


@pytest.mark.parametrize("seed", range(6))
def test_edited_texts_give_the_names_of_fresh_ones(seed: int) -> None:
    chance = random.Random(seed)
    texts = dict(SCADR)
    for step in range(25):
        name = chance.choice(["schema.piql", "queries/thoughtstream.piql"])
        text = texts[name]
        start = chance.randrange(len(text) + 1)
        texts[name] = text[:start] + chance.choice(TYPED) + text[start + chance.choice([0, 0, 1, 9]) :]
        assert shown(texts) == shown(texts, f"fresh-{seed}-{step}/")


def test_names_are_found_at_both_their_ends_and_at_the_ends_of_statements() -> None:
    texts = {"a.piql": "CREATE TABLE t (a INT PRIMARY KEY);CREATE QUERY q AS SELECT a FROM t"}
    whole = texts["a.piql"]
    for offset in (whole.index("q"), whole.index("q") + 1):
        assert [reference.span.text for reference in references(texts, "a.piql", offset)] == ["q"]
    assert len(references(texts, "a.piql", len(whole))) == 2
    assert references(texts, "a.piql", whole.index("CREATE QUERY")) == ()
    assert references(texts, "none.piql", 0) == ()
