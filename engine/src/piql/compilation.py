"""What `compile` gives: every stage's result of every query, all diagnostics, and the indexes of the set.

A failed stage leaves the later fields of its query `None`; nothing here is raised for what a user wrote.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from piql.bounds.bound import Bound
from piql.catalog import Catalog, Index, Table
from piql.diagnostics.diagnostic import Diagnostic
from piql.frozen import quick
from piql.logical.operators import LogicalNode, LogicalWrite, QueryParameter
from piql.optimizer.step import Step
from piql.physical.operators import PhysicalNode, WritePlan
from piql.source import Source, Span

MANY_OBJECTS = 100_000

ScalingClass = Literal["I", "II", "III", "IV"]


@dataclass(frozen=True, slots=True)
class UnboundedSegment:
    """The part of a refused plan that no fact bounds: where it stands, and what grows with what."""

    path: tuple[int, ...]  # child numbers from the root of `CompiledQuery.logical`
    table: str
    spans: tuple[Span, ...]  # in the query: the relation, predicate or join; never empty
    table_span: Span | None  # the name of the table in its CREATE TABLE
    sentence: str  # "subscriptions of one owner: nothing limits how many there are"


@quick
@dataclass(frozen=True, slots=True)
class CompiledQuery:
    """One query with everything the compiler found out about it."""

    name: str
    kind: Literal["select", "insert", "update", "delete"]
    text: str  # of the whole statement
    span: Span
    name_span: Span
    parameters: tuple[QueryParameter, ...] = ()
    bound_plan: LogicalNode | LogicalWrite | None = None  # as written
    steps: tuple[Step, ...] = ()  # after each rule of Phase I that changed something
    logical: LogicalNode | LogicalWrite | None = None  # after Phase I
    plan: PhysicalNode | WritePlan | None = None  # None when refused
    bound: Bound | None = None
    scaling_class: ScalingClass | None = None
    indexes: tuple[Index, ...] = ()  # secondary indexes that its plan reads
    unbounded: tuple[UnboundedSegment, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def is_bounded(self) -> bool:
        return self.bound is not None


@dataclass(frozen=True, slots=True)
class Compilation:
    """The result of compiling a set of files together."""

    sources: tuple[Source, ...]
    catalog: Catalog
    tables: Mapping[str, Table]
    queries: Mapping[str, CompiledQuery]
    indexes: Mapping[str, Index] = field(default_factory=dict)  # secondary indexes of the whole set, by name
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def has_errors(self) -> bool:
        return any(each.severity == "error" for each in self.diagnostics)


def compile(source: str | Path | Mapping[str, str]) -> Compilation:  # noqa: A001
    """Compile PIQL: a text, a file or folder of `*.piql`, or texts by file name. Never raises for what they say."""
    from piql.incremental import compile_texts

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
    from piql.stages import compile_bare

    if isinstance(deployed, Catalog):
        return compile_bare(Source(text), deployed, None)
    return compile_bare(Source(text), deployed.catalog, deployed.indexes)


def texts_of(source: str | Path | Mapping[str, str]) -> Mapping[str, str]:
    """Give the texts to compile by file name: those of a folder in the order of their paths, named relative to it."""
    if isinstance(source, str):
        return {"": source}
    if isinstance(source, Path):
        if source.is_dir():
            paths = sorted(each for each in source.rglob("*.piql") if each.is_file())
            return {each.relative_to(source).as_posix(): _text_of(each) for each in paths}
        return {source.name: _text_of(source)}
    return source


def _text_of(path: Path) -> str:
    """Read a file as the editor shows it: line ends stay as they are, bytes that are not UTF-8 are marked."""
    return path.read_bytes().decode("utf-8-sig", errors="replace")
