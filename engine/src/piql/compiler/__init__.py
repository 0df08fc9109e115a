"""Texts → compilation: every stage's result of every query, all diagnostics, and the indexes of the set.

    syntax ──▶ binding ──▶ optimizer ──▶ physical ──▶ bounds          one query: `one_query`
                                                        │
    incremental ◀── fixes ◀── query_set ◀───────────────┘             all queries of a set

`result` is the data that leaves. The whole is pure, and never raises for what a user wrote.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from piql.compiler.incremental.recompile import compile_texts
from piql.compiler.one_query import compile_bare
from piql.compiler.result import Compilation, CompiledQuery
from piql.schema.catalog import Catalog
from piql.text.source import Source

MANY_OBJECTS = 100_000


def compile(source: str | Path | Mapping[str, str]) -> Compilation:  # noqa: A001
    """Compile PIQL: a text, a file or folder of `*.piql`, or texts by file name. Never raises for what they say."""
    with _collecting_later():
        return compile_texts(texts_of(source))


@contextmanager
def _collecting_later() -> Iterator[None]:
    """Put the search for cyclic garbage off: trees hold no cycles, and looking through them takes half of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if gc.get_count()[0] > MANY_OBJECTS and gc.get_freeze_count() == 0:
            gc.freeze()  # counts what is new among the oldest, so that not all of it is searched at once
            gc.unfreeze()
        if was_enabled:
            gc.enable()


def compile_statement(text: str, deployed: Compilation | Catalog) -> CompiledQuery:
    """Compile one bare statement against a deployed schema, for the interactive mode; its name is empty."""
    if isinstance(deployed, Catalog):
        return compile_bare(Source(text), deployed, None)
    return compile_bare(Source(text), deployed.catalog, deployed.indexes)


def texts_of(source: str | Path | Mapping[str, str]) -> Mapping[str, str]:
    """Return the texts to compile by file name: those of a folder in the order of their paths, named relative to it."""
    if isinstance(source, str):
        return {"": source}
    if isinstance(source, Path):
        if source.is_dir():
            paths = sorted(path for path in source.rglob("*.piql") if path.is_file())
            return {path.relative_to(source).as_posix(): _text_of(path) for path in paths}
        return {source.name: _text_of(source)}
    return source


def _text_of(path: Path) -> str:
    """Read a file as the editor shows it: line ends stay as they are, bytes that are not UTF-8 are marked."""
    return path.read_bytes().decode("utf-8-sig", errors="replace")
