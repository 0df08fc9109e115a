"""Fixes of random refused queries: each one, applied alone, mends the query, and no part of it can be left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator

import piql
import pytest
from oracle.world import random_world
from piql.text.diagnostics.diagnostic import Edit, Fix

WORLDS = 2
LONG_WORLDS = 300
LEAST_MENDED = 0.7  # of some twenty refused queries: the others need another schema or another question
REMEDY = re.compile(
    r",?\s*(?:CARDINALITY LIMIT \d+ \((?:TOKEN\([^()]*\)|[^()]*)\)|(?<!CARDINALITY )\bLIMIT \d+|PAGINATE \d+"
    r"|FOREIGN KEY \([^()]*\) REFERENCES \w+ \([^()]*\)"
    r"|(?:WHERE|AND) [\w.\"]+ (?:= \[\w+\]|= [\w.\"]+|IS NOT NULL))"
)


def with_edits(text: str, edits: tuple[Edit, ...]) -> str:
    for edit in sorted(edits, key=lambda edit: -edit.start):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def is_mended(text: str, name: str) -> bool:
    compilation = piql.compile(text)
    errors = [diagnostic for diagnostic in compilation.diagnostics if diagnostic.severity == "error"]
    return not errors and compilation.queries[name].is_bounded


def with_one_part_less(fix: Fix) -> Iterator[tuple[str, tuple[Edit, ...]]]:
    """Return the edits of a fix without one of its remedies, or without an edit; nothing for a fix of a single one."""
    if len(fix.edits) > 1:
        for edit in fix.edits:
            yield edit.text.strip(), tuple(remaining for remaining in fix.edits if remaining is not edit)
    added = [(at, edit) for at, edit in enumerate(fix.edits) if edit.start == edit.end]  # others hold the user's text
    remedies = [(at, remedy) for at, edit in added for remedy in REMEDY.finditer(edit.text)]
    if len(remedies) < 2:
        return
    for at, remedy in remedies:
        edit = fix.edits[at]
        text = edit.text[: remedy.start()] + edit.text[remedy.end() :]
        if not edit.text[: remedy.start()].strip() and text.startswith(","):
            text = text[1:]  # the first of several lines behind a comma of its own
        if remedy.group().strip().startswith("WHERE") and text.startswith(" AND"):
            text = " WHERE" + text.removeprefix(" AND")
        less = Edit(edit.file, edit.start, edit.end, text)
        yield remedy.group().strip(", \n"), (*fix.edits[:at], less, *fix.edits[at + 1 :])


def hold(seeds: range, record_property: Callable[[str, object], None]) -> None:
    """Try every fix of every refused query of some worlds, and say for each code how many have one."""
    refused: Counter[str] = Counter()
    mended: Counter[str] = Counter()
    for seed in seeds:
        world = random_world(seed)
        for case in world.reads:
            text = world.source(case)
            compilation = piql.compile(text)
            errors = [diagnostic for diagnostic in compilation.diagnostics if diagnostic.severity == "error"]
            if not errors:
                continue
            fixes = tuple(dict.fromkeys(fix for error in errors for fix in error.fixes))
            refused[errors[0].code] += 1
            mended[errors[0].code] += bool(fixes)
            for fix in fixes:
                assert is_mended(with_edits(text, fix.edits), case.name), f"{fix.title} does not mend\n{text}"
                for remedy, less in with_one_part_less(fix):
                    assert not is_mended(with_edits(text, less), case.name), f"{fix.title}: without {remedy}\n{text}"
    for code, count in sorted(refused.items()):
        record_property(f"mended {code}", f"{mended[code]} of {count}")
        print(f"{code}: {mended[code]} of {count} refused queries have a fix")
    assert mended.total() >= LEAST_MENDED * refused.total()


@pytest.mark.parametrize("part", [0, pytest.param(1, marks=pytest.mark.long)])
def test_every_fix_mends_its_query_and_is_minimal(part: int, record_property: Callable[[str, object], None]) -> None:
    hold(range(part * 1000, part * 1000 + WORLDS), record_property)


@pytest.mark.long
def test_every_fix_of_many_queries_mends_and_is_minimal(record_property: Callable[[str, object], None]) -> None:
    hold(range(50_000, 50_000 + LONG_WORLDS), record_property)
