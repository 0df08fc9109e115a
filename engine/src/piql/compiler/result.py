"""What `compile` returns: every stage's result of every query, all diagnostics, and the indexes of the set.

A failed stage leaves the later fields of its query `None`; nothing here is raised for what a user wrote.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from piql.compiler.bounds.bound import Bound
from piql.compiler.logical.operators import LogicalNode, LogicalWrite, QueryParameter, Unit
from piql.compiler.optimizer.trace import RuleApplication
from piql.compiler.physical.unit_plan import QueryPlan
from piql.schema.catalog import Catalog, Index, Table
from piql.schema.read_policies import ReadLevel
from piql.schema.write_policies import WriteLevel
from piql.text.diagnostics.diagnostic import Diagnostic
from piql.text.source import Source, Span

ScalingClass = Literal["I", "II", "III", "IV"]
QueryKind = Literal["select", "insert", "update", "delete", "unit"]


@dataclass(frozen=True, slots=True)
class UnboundedSegment:
    """The part of a refused plan that no fact bounds: where it stands, and what grows with what."""

    path: tuple[int, ...]  # child numbers from the root of `CompiledQuery.logical`
    table: str
    spans: tuple[Span, ...]  # in the query: the relation, predicate or join; never empty
    table_span: Span | None  # the name of the table in its CREATE TABLE
    sentence: str  # "subscriptions of one owner: nothing limits how many there are"


@dataclass(frozen=True, slots=True)
class CompiledQuery:
    """One query with everything the compiler found out about it.

    Of a unit, `statements` holds the same about each of its writes: they have its name and its parameters.
    """

    name: str
    kind: QueryKind
    text: str  # of the whole statement
    span: Span
    name_span: Span
    parameters: tuple[QueryParameter, ...] = ()
    bound_plan: LogicalNode | LogicalWrite | Unit | None = None  # as written
    steps: tuple[RuleApplication, ...] = ()  # after each rule of Phase I that changed something
    logical: LogicalNode | LogicalWrite | Unit | None = None  # after Phase I
    plan: QueryPlan | None = None  # None when refused
    bound: Bound | None = None
    scaling_class: ScalingClass | None = None
    indexes: tuple[Index, ...] = ()  # secondary indexes that its plan reads
    unsized: tuple[tuple[str, str], ...] = ()  # columns without a length that it fetches, by table: bytes are assumed
    unbounded: tuple[UnboundedSegment, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    statements: tuple[CompiledQuery, ...] = ()
    read: ReadLevel | None = None  # of WITH READ; None where nothing is written
    write: WriteLevel | None = None  # of WITH WRITE, likewise

    @property
    def is_bounded(self) -> bool:
        return self.bound is not None


@dataclass(frozen=True, slots=True)
class RepeatedQuery:
    """A query whose name an earlier one has: it has no plan, since nothing could say which of the two is meant."""

    name: str
    span: Span
    name_span: Span
    first_name_span: Span  # the name of the one that is in `Compilation.queries`


@dataclass(frozen=True, slots=True)
class Compilation:
    """The result of compiling a set of files together."""

    sources: tuple[Source, ...]
    catalog: Catalog
    tables: Mapping[str, Table]
    queries: Mapping[str, CompiledQuery]
    indexes: Mapping[str, Index] = field(default_factory=dict)  # secondary indexes of the whole set, by name
    diagnostics: tuple[Diagnostic, ...] = ()
    repeated: tuple[RepeatedQuery, ...] = ()  # in the order of the text; `queries` has the first of each name

    @property
    def has_errors(self) -> bool:
        return any(diagnostic.severity == "error" for diagnostic in self.diagnostics)
