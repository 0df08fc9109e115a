"""From the compiler's values to what is sent: enters a `Compilation`, leaves a `CompilationRead`.

Each function turns one kind of value into the schema of the same name: `read_bound` makes a `BoundRead` of a `Bound`,
`_table` a `TableRead` of a `Table`. Those without an underscore are used by other resources too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from piql.compiler.bounds.bound import Bound, OperatorBound, Term
from piql.compiler.bounds.writes import SECTION
from piql.compiler.incremental.relocation import before_relocation
from piql.compiler.logical.format import describe as describe_logical
from piql.compiler.logical.format import inputs_of as logical_inputs
from piql.compiler.logical.operators import LogicalNode, LogicalWrite, QueryParameter, Unit
from piql.compiler.physical.format import describe as describe_physical
from piql.compiler.physical.format import format_index
from piql.compiler.physical.operators import PhysicalNode, RemoteOperator, inputs
from piql.compiler.physical.unit_plan import UnitPlan
from piql.compiler.physical.write_plan import WritePlan
from piql.compiler.result import Compilation, CompiledQuery
from piql.editor.service.quick_fixes import QuickFix, allowing, places_of
from piql.schema.catalog import Index, SqlType, Table
from piql.schema.read_policies import READ_POLICIES
from piql.schema.write_policies import WRITE_POLICIES
from piql.text.diagnostics.diagnostic import Diagnostic, Edit, LaterFixes
from piql.text.source import Source, Span
from piql_profiler.predictor.cardinalities import axes as axes_of

from piql_backend.compilations.accesses import read_accesses
from piql_backend.compilations.node_ids import Path, node_id
from piql_backend.compilations.schemas import (
    AxisRead,
    BoundedQueryRead,
    BoundInShortRead,
    BoundRead,
    ColumnRead,
    CompilationRead,
    ForeignKeyRead,
    IndexColumnRead,
    IndexRead,
    LimitRead,
    OperatorBoundRead,
    ParameterRead,
    PlanNodeRead,
    QueryRead,
    ReadPolicyRead,
    RepeatedQueryRead,
    StageRead,
    TableRead,
    TermRead,
    UnboundedSegmentRead,
    UniqueKeyRead,
    UnsizedColumnRead,
    WritePolicyRead,
)
from piql_backend.web.schemas import DiagnosticRead, EditRead, FixRead, LabelRead, RangeRead

MOST_MENDED = 20  # refused queries whose fixes are given at once
LATER = "put the caret into this query for its fixes"


def read_all_but_queries(compilation: Compilation, elapsed_ms: float, looked_at: str | None = None) -> CompilationRead:
    """What there is to say of a set of files beside its queries (`read_query`), with the fixes of one query first."""
    return CompilationRead(
        diagnostics=read_diagnostics(compilation, looked_at),
        tables=[_table(table) for table in compilation.tables.values()],
        indexes=read_indexes(compilation),
        queries=[],
        repeated=[
            RepeatedQueryRead(
                name=query.name,
                range=read_span(query.span),
                name_range=read_span(query.name_span),
                first_name_range=read_span(query.first_name_span),
            )
            for query in compilation.repeated
        ],
        has_errors=compilation.has_errors,
        elapsed_ms=elapsed_ms,
    )


def read_diagnostics(compilation: Compilation, looked_at: str | None = None) -> list[DiagnosticRead]:
    """All findings, those of each file in the order of the text.

    Finding the fixes of a refused query takes several compilations of it. So they are given for the query `looked_at`
    and the first of the others, MOST_MENDED in all; the findings of the rest say how to get theirs.
    """
    sources = {source.name: source for source in compilation.sources}
    refused = (diagnostic.query for diagnostic in compilation.diagnostics if isinstance(diagnostic.fixes, LaterFixes))
    queries = [query for query in dict.fromkeys(refused) if query != looked_at]
    later = set(queries[MOST_MENDED - 1 :])
    return [
        read_diagnostic(_without_fixes(diagnostic) if diagnostic.query in later else diagnostic, sources, compilation)
        for diagnostic in compilation.diagnostics
    ]


def _without_fixes(diagnostic: Diagnostic) -> Diagnostic:
    if not isinstance(diagnostic.fixes, LaterFixes):
        return diagnostic
    return replace(diagnostic, fixes=(), help=(*diagnostic.help, LATER))


def read_diagnostic(
    diagnostic: Diagnostic, sources: Mapping[str, Source], compilation: Compilation | None = None
) -> DiagnosticRead:
    """One finding; `sources` are the texts by their names, and without a compilation it has no `places`."""
    comment = allowing(compilation, diagnostic) if compilation is not None else None
    fix_spans = places_of(compilation, diagnostic) if compilation is not None and diagnostic.fixes else ()
    return DiagnosticRead(
        code=diagnostic.code,
        severity=diagnostic.severity,
        message=diagnostic.message,
        help=list(diagnostic.advice),
        range=read_span(diagnostic.span),
        labels=[LabelRead(range=read_span(label.span), text=label.text) for label in diagnostic.labels],
        fixes=[
            FixRead(
                title=fix.title,
                menu_title=QuickFix(fix, diagnostic).title,
                unblocks=list(fix.unblocks),
                consequence=fix.consequence,
                cost=fix.cost,
                edits=[read_edit(edit, sources) for edit in fix.edits],
            )
            for fix in diagnostic.fixes
        ],
        places=[read_span(span) for span in fix_spans],
        query=diagnostic.query,
        allowed=diagnostic.allowed,
        allow=None if comment is None else read_edit(comment, sources),
    )


def read_indexes(compilation: Compilation) -> list[IndexRead]:
    """The secondary indexes of the set, each with the queries that read it."""
    readers = _readers(compilation)
    return [_index(index, readers) for index in compilation.indexes.values()]


def _readers(compilation: Compilation) -> Mapping[str, list[str]]:
    """The names of the queries that read each index."""
    readers: dict[str, list[str]] = {}
    for query in compilation.queries.values():
        for name in dict.fromkeys(index.name for index in query.indexes):
            readers.setdefault(name, []).append(query.name)
    return readers


def read_bound(bound: Bound) -> BoundRead:
    return BoundRead(
        operations=bound.operations,
        round_trips=bound.round_trips,
        rows=bound.rows,
        bytes=bound.bytes,
        rows_fetched=bound.rows_fetched,
        formula=bound.formula,
        rows_formula=bound.rows_formula,
        terms=[_term(term) for term in bound.terms],
        by_operator=[_operator_bound(term) for term in bound.by_operator],
        puts=bound.puts,
        deletes=bound.deletes,
        reads=bound.reads,
        counts=bound.counts,
    )


def read_parameter(parameter: QueryParameter) -> ParameterRead:
    return ParameterRead(
        name=parameter.name,
        type=str(parameter.type),
        kind=parameter.type.kind.value if isinstance(parameter.type, SqlType) else str(parameter.type),
        max_value=parameter.max_value,
        max_items=parameter.max_items,
        range=_range(parameter.span),
    )


def read_span(span: Span) -> RangeRead:
    start_line, start_column = span.source.position(span.start)
    end_line, end_column = span.source.position(span.end)
    return RangeRead(
        file=span.source.name,
        start=span.start,
        end=span.end,
        start_line=start_line,
        start_column=start_column,
        end_line=end_line,
        end_column=end_column,
    )


def _range(span: Span | None) -> RangeRead | None:
    return None if span is None else read_span(span)


def read_edit(edit: Edit, sources: Mapping[str, Source]) -> EditRead:
    """One edit; of a file that is not among the sources, the text is taken to be empty."""
    source = sources.get(edit.file) or Source("", edit.file)
    return EditRead(range=read_span(source.span(edit.start, edit.end)), text=edit.text)


def _table(table: Table) -> TableRead:
    return TableRead(
        name=table.name,
        range=_range(table.span),
        name_range=_range(table.name_span),
        columns=[
            ColumnRead(
                name=column.name,
                type=str(column.type),
                is_nullable=column.nullable,
                range=_range(column.span),
            )
            for column in table.columns
        ],
        primary_key=list(table.primary_key),
        unique_keys=[UniqueKeyRead(columns=list(key.columns), range=_range(key.span)) for key in table.unique_keys],
        foreign_keys=[
            ForeignKeyRead(
                columns=list(key.columns),
                table=key.table,
                referenced_columns=list(key.referenced_columns),
                range=_range(key.span),
            )
            for key in table.foreign_keys
        ],
        limits=[
            LimitRead(
                columns=list(limit.columns),
                limit=limit.limit,
                is_token=limit.is_token,
                range=_range(limit.span),
                number_range=_range(limit.limit_span),
            )
            for limit in table.limits
        ],
        made_from=list(dict.fromkeys(table.view.tables)) if table.view is not None else [],
        stripes=None if table.view is None else table.view.stripes.count if table.view.stripes is not None else 1,
    )


def _index(index: Index, readers: Mapping[str, list[str]]) -> IndexRead:
    return IndexRead(
        name=index.name,
        table=index.table,
        columns=[IndexColumnRead.model_validate(column) for column in index.columns],
        reason=index.reason,
        definition=format_index(index),
        used_by=list(readers.get(index.name, ())),
    )


def _term(term: Term) -> TermRead:
    return TermRead(
        symbol=term.symbol,
        value=term.value,
        reason=term.reason,
        range=_range(term.span),
        number_range=_range(term.number_span),
    )


def _operator_bound(bound: OperatorBound) -> OperatorBoundRead:
    return OperatorBoundRead(
        path=node_id(bound.path),
        operator=bound.operator,
        operations=bound.operations,
        formula=bound.formula,
        rows=bound.rows,
        rows_formula=bound.rows_formula,
        bytes=bound.bytes,
    )


def read_bounded(query: CompiledQuery) -> BoundedQueryRead:
    """What is shown above a bounded query; nothing else of it is relocated."""
    before, relocated = before_relocation(query)
    assert before.bound is not None
    return BoundedQueryRead(
        name=before.name,
        range=read_span(relocated(before.span)),
        is_bounded=True,
        scaling_class=before.scaling_class,
        bound=BoundInShortRead(operations=before.bound.operations, round_trips=before.bound.round_trips),
    )


def read_query(query: CompiledQuery, *, has_stages: bool) -> QueryRead:
    """All that there is to say of a query; its stages are most of it, and are left out where nobody looks at them."""
    before, relocated = before_relocation(query)
    return QueryRead(
        name=query.name,
        kind=query.kind,
        text=query.text,
        range=read_span(query.span),
        name_range=read_span(query.name_span),
        is_bounded=query.is_bounded,
        scaling_class=query.scaling_class,
        bound=None if query.bound is None else read_bound(query.bound),
        parameters=[read_parameter(parameter) for parameter in query.parameters],
        stages=_stages(query) if has_stages else [],
        unbounded=[
            UnboundedSegmentRead(
                path=node_id(segment.path),
                table=segment.table,
                ranges=[read_span(span) for span in segment.spans],
                table_range=_range(segment.table_span),
                sentence=segment.sentence,
            )
            for segment in query.unbounded
        ],
        accesses=read_accesses(before),
        axes=[
            AxisRead(
                symbol=axis.symbol,
                label=axis.label,
                current=axis.current,
                number_ranges=[read_span(span) for span in relocated(axis.spans)],
            )
            for axis in axes_of(before)
        ],
        unsized=[UnsizedColumnRead(table=table, column=column) for table, column in query.unsized],
        read=_read_policy(query),
        write=_write_policy(query),
    )


def _write_policy(query: CompiledQuery) -> WritePolicyRead | None:
    if query.write is None:
        return None
    policy = WRITE_POLICIES[query.write]
    return WritePolicyRead(level=query.write, asks=policy.asks, sees=policy.sees)


def _read_policy(query: CompiledQuery) -> ReadPolicyRead | None:
    if query.read is None:
        return None
    policy = READ_POLICIES[query.read]
    return ReadPolicyRead(level=query.read, asks=policy.asks, sees=policy.sees)


def _stages(query: CompiledQuery) -> list[StageRead]:
    """Each plan that the query went through, in order."""
    stages = []
    if query.bound_plan is not None:
        stages.append(StageRead(name="as written", note="What the query asks for.", plan=_logical(query.bound_plan)))
    stages += [StageRead(name=step.rule, note=step.note, plan=_logical(step.plan)) for step in query.steps]
    if query.logical is not None:
        unbounded = frozenset(segment.path for segment in query.unbounded)
        note = "Every stop is where it bounds the most." if not unbounded else "A part of the plan has no bound."
        stages.append(StageRead(name="Phase I", note=note, plan=_logical(query.logical, unbounded=unbounded)))
    if query.plan is not None:
        by_path = {term.path: term for term in query.bound.by_operator} if query.bound else {}
        if isinstance(query.plan, UnitPlan):
            note = "How it is written: one statement after another, in one transaction."
            plan = _unit(query.plan, [statement.bound for statement in query.statements], query.bound)
        elif isinstance(query.plan, WritePlan):
            what = "each row that is read" if query.plan.section is not None else "the row"
            note, plan = f"How it is written: {what} with all its index entries.", _write(query.plan, query.bound)
        else:
            note, plan = "How it is read: one bounded operator after another.", _physical(query.plan, by_path)
        stages.append(StageRead(name="physical", note=note, plan=plan))
    return stages


def _logical(
    node: LogicalNode | LogicalWrite | Unit, path: Path = (), unbounded: frozenset[Path] = frozenset()
) -> PlanNodeRead:
    operator, detail = describe_logical(node)
    children = [_logical(child, (*path, at), unbounded) for at, child in enumerate(logical_inputs(node))]
    return _node(path, operator, detail, node.span, "logical", path in unbounded, None, children)


def _physical(node: PhysicalNode, bounds: Mapping[Path, OperatorBound], path: Path = ()) -> PlanNodeRead:
    operator, detail = describe_physical(node)
    children = [_physical(child, bounds, (*path, at)) for at, child in enumerate(inputs(node))]
    kind: Literal["remote", "local"] = "remote" if isinstance(node, RemoteOperator) else "local"
    return _node(path, operator, detail, node.span, kind, False, bounds.get(path), children)


def _unit(plan: UnitPlan, bounds: Sequence[Bound | None], bound: Bound | None) -> PlanNodeRead:
    """The node of a unit, with the sum of the bounds of its statements, which are below it."""
    operator, detail = describe_physical(plan)
    children = [
        _statement(statement, of_statement, (number,))
        for number, (statement, of_statement) in enumerate(zip(plan.statements, bounds, strict=True))
    ]
    return _node((), operator, detail, plan.span, "write", False, _whole(operator, bound), children)


def _statement(plan: WritePlan | PhysicalNode, bound: Bound | None, path: Path) -> PlanNodeRead:
    """The node of one statement of a unit: a write, or the read of a LET."""
    if isinstance(plan, WritePlan):
        return _write(plan, bound, path)
    by_path = {(*path, *term.path): term for term in bound.by_operator} if bound is not None else {}
    return _physical(plan, by_path, path)


def _write(plan: WritePlan, bound: Bound | None, path: Path = ()) -> PlanNodeRead:
    """The node of a plan that writes: it has the whole bound of the query. Below it is the plan of what it reads first.

    `path` leads to it from the root, where it is a statement of a unit.
    """
    operator, detail = describe_physical(plan)
    by_path = {(*path, *term.path): term for term in bound.by_operator} if bound is not None else {}
    children = [_physical(read, by_path, (*path, *SECTION)) for read in plan.reads]
    return _node(path, operator, detail, plan.span, "write", False, _whole(operator, bound), children)


def _whole(operator: str, bound: Bound | None) -> OperatorBound | None:
    """A whole bound as that of one operator."""
    if bound is None:
        return None
    return OperatorBound((), operator, bound.operations, bound.formula, bound.rows, bound.rows_formula, bound.bytes)


def _node(
    path: Path,
    operator: str,
    detail: str,
    span: Span | None,
    kind: Literal["logical", "remote", "local", "write"],
    is_unbounded: bool,
    bound: OperatorBound | None,
    children: list[PlanNodeRead],
) -> PlanNodeRead:
    return PlanNodeRead(
        id=node_id(path),
        operator=operator,
        detail=detail,
        range=_range(span),
        kind=kind,
        is_unbounded=is_unbounded,
        operations=None if bound is None else bound.operations,
        rows=None if bound is None else bound.rows,
        bytes=None if bound is None else bound.bytes,
        formula=None if bound is None else bound.formula,
        rows_formula=None if bound is None else bound.rows_formula,
        children=children,
    )
