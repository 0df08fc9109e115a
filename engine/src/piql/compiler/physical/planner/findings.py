"""Messages about a plan: unbounded reads, misplaced subqueries, tests that are never true, pages of equal rows.

Enters: the `Gap`s and the logical plan. Leaves: diagnostics with a span, labels and one thing to do. The message about
a gap is made of what grows (`Gap.sentence`), and of why the stop does not limit it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from piql.compiler.binding.references_with_null import HELP, declare_null, is_not_null_by_reference
from piql.compiler.logical.expressions import Exists, InSubquery, Not, Parameter, ScalarSubquery
from piql.compiler.logical.operators import LogicalNode, SemiJoin, Stop
from piql.compiler.optimizer.analysis.predicates import holds_subquery
from piql.compiler.optimizer.contradictions import Contradiction
from piql.compiler.physical.planner.unbounded import Gap, GapKind
from piql.text.diagnostics.diagnostic import Diagnostic, Fix, Label
from piql.text.diagnostics.report import report
from piql.text.source import Span
from piql.trees.node import Node

CODE_OF: dict[GapKind, str] = {
    "scan": "unbounded-scan",
    "join": "unbounded-join",
    "product": "unbounded-product",
    "aggregate": "unbounded-aggregate",
    "sort": "unbounded-sort",
    "blocked": "stop-blocked",
}

NUMBERS_OF_A_RANGE = 20  # in the range that a help writes; the user is expected to change it

_VIEW = "precomputed view: a table of its own that is kept up to date as rows are written"


def gap_diagnostics(
    gaps: Sequence[Gap], statement: Span, query: str | None, *, is_write: bool = False
) -> tuple[Diagnostic, ...]:
    """Return a finding for each read that nothing bounds. A write (`is_write`) has no pages."""
    stops = "LIMIT" if is_write else "LIMIT or PAGINATE"
    diagnostics = []
    for gap in gaps:
        span = _main_span(gap) or statement
        diagnostics.append(
            report(
                CODE_OF[gap.kind],
                _message(gap),
                span,
                labels=tuple(_labels(gap, span)),
                help=(_help(gap, stops, is_one_of_several=len(gaps) > 1), *_narrower_range(gap), *_start_of_join(gap)),
                query=query,
            )
        )
    return tuple(diagnostics)


def _main_span(gap: Gap) -> Span | None:
    """Return where the message stands: what blocks the stop, the first equality, or the relation."""
    if gap.kind in ("blocked", "sort") and gap.blockers:
        return gap.blockers[0]
    return gap.spans[1] if gap.kind in ("scan", "join") and len(gap.spans) > 1 else gap.relation.span


def _message(gap: Gap) -> str:
    stop = gap.stop
    view = "a precomputed view could hold"
    words = "Finding the first match of each row"
    if stop is not None:
        words = f"{'PAGINATE' if stop.is_page else 'LIMIT'} {stop.count.max}"
    match gap.kind:
        case "scan" if stop is not None and (gap.references or gap.unset):
            return f"{words} counts what is left after the join with {' and '.join(gap.joined)}. {gap.sentence}"
        case "scan" if stop is not None and (gap.columns or gap.words):
            return f"{gap.sentence}; {view} the rows that {words} takes"
        case "scan":
            return gap.sentence
        case "join" if stop is not None:
            return f"{gap.sentence}, for each row joined before; {view} the rows that {words} takes"
        case "join":
            return f"{gap.sentence}, for each row joined before"
        case "product":
            return (
                f"{gap.relation.table.name} is joined by no equality, so each of its rows is combined with every row "
                "of the others"
            )
        case "aggregate":
            return f"{gap.sentence}, and all of them would be read for the result, which {view}"
        case "sort":
            if not gap.range_column:
                return f"{words} takes the first rows of an order that no index can give. {gap.sentence}"
            column = gap.range_column
            why = f"an index that applies the range on {column} is in the order of {column}"
            return f"{words} takes the first rows of this order, but {why}. {gap.sentence}"
        case "blocked":
            return f"{words} counts the rows that pass this test, but no index applies it. {gap.sentence}"


def _labels(gap: Gap, span: Span) -> Iterable[Label]:
    """Yield what else to point at: the relation, if `span` is another text, and its table."""
    if gap.relation.span is not None and gap.relation.span != span:
        yield Label(gap.relation.span, "this is what grows")
    if gap.table.name_span is not None:
        columns = _limited(gap)
        yield Label(gap.table.name_span, f"no CARDINALITY LIMIT on {columns} here" if columns else "this table grows")


def _help(gap: Gap, stops: str, *, is_one_of_several: bool) -> str:
    """Say what would bound a read; one of `stops` is no help where several reads need one."""
    limit = f"CARDINALITY LIMIT n ({_limited(gap)}) in {gap.table.name}"
    can_limit = bool(_limited(gap))
    another = "another column" if gap.columns else "a column"
    would_stop = gap.stop is None and not (gap.is_tested or gap.references or is_one_of_several)
    match gap.kind:
        case "scan" if gap.stop is not None and gap.references:
            keys = " and ".join(reference.clause for reference in gap.references)
            return f"declare {keys} in {gap.table.name}: then every row has a match, and fewer rows are read"
        case "scan" if gap.stop is not None and gap.unset:
            columns = " and ".join(name for names in gap.unset for name in names)
            return (
                f"{columns} may be NULL, rows with NULL have no match, and no index can leave them out here: "
                "declare NOT NULL"
            )
        case "product":
            return f"join {gap.relation.table.name} by a column: ON … = …, or fix the columns of a limit of it"
        case "aggregate" if can_limit:
            return f"declare {limit}, or keep the result as a {_VIEW}"
        case "aggregate":
            return f"keep the result as a {_VIEW}, or count some rows only: FROM (SELECT … LIMIT n)"
        case "sort" if gap.range_column:
            declared = f"declare {limit}" if can_limit else f"fix {another} of {gap.table.name} by an equality"
            return f"{declared}, or order by {gap.range_column} first"
        case "sort" | "blocked" if can_limit:
            return f"declare {limit}"
        case "sort" | "blocked":
            return f"fix {another} of {gap.table.name} by an equality, or read some rows only: FROM (SELECT … LIMIT n)"
        case _ if not can_limit:
            return f"fix {another} of {gap.table.name} by an equality" + (f", or add {stops}" if would_stop else "")
        case _:
            return f"declare {limit}" + (f", or add {stops}" if would_stop else "")


def _narrower_range(gap: Gap) -> Iterator[str]:
    """Say how a range between two parameters, whose distance nothing tells, is written so that it bounds the read."""
    if gap.countable is None:
        return
    column, low, high = gap.countable.column, gap.countable.low, gap.countable.high
    if isinstance(high, Parameter):
        ends = f"{column} >= [{high.name}] - {NUMBERS_OF_A_RANGE} AND {column} < [{high.name}]"
    elif isinstance(low, Parameter):
        ends = f"{column} >= [{low.name}] AND {column} < [{low.name}] + {NUMBERS_OF_A_RANGE}"
    else:
        return
    yield f"or write both ends of the range with one parameter, so that their distance is known: {ends}"


def _start_of_join(gap: Gap) -> Iterator[str]:
    """Say which other table of the join could be read first, if that one had a limit."""
    start = next((start for start in gap.starts if start.is_by_value), None)
    is_better = not _limited(gap) or (start is not None and start.is_written and start.table is not gap.table)
    if start is not None and gap.kind in ("scan", "sort", "blocked") and is_better:
        limit = f"CARDINALITY LIMIT n ({', '.join(start.columns)}) in {start.table.name}"
        yield f"or declare {limit}, so that the join can begin there"


def _limited(gap: Gap) -> str:
    """Return what a limit would be declared on, if it can be at all."""
    return f"TOKEN({', '.join(gap.words[0])})" if gap.words else ", ".join(gap.limit_columns)


def misplaced_subqueries(plan: LogicalNode, query: str | None) -> tuple[Diagnostic, ...]:
    """Refuse the subqueries that no join has taken the place of."""
    if not holds_subquery(plan):
        return ()
    scalars = tuple(
        report(
            "scalar-subquery",
            "this subquery is used as one value, but it may return several rows or cannot be read before its row",
            node.span,
            help=(
                "fix a whole key of its table by equalities",
                "or add LIMIT 1 or one aggregate and name no column from outside; for a list of values write IN",
            ),
            query=query,
        )
        for node in plan.walk()
        if isinstance(node, ScalarSubquery) and node.span is not None
    )
    placed = [node for node in plan.walk() if isinstance(node, Exists | InSubquery) and node.span is not None]
    negated = _negated(plan)
    return scalars + tuple(_misplaced(node, query, is_anti=node in negated) for node in placed)


def _negated(node: LogicalNode) -> set[Node]:
    """Return the tests in a plan that stand below a NOT."""
    return {test.operand for test in node.walk() if isinstance(test, Not)}


def _misplaced(subquery: Exists | InSubquery, query: str | None, *, is_anti: bool) -> Diagnostic:
    """Refuse an EXISTS or IN; where it holds another one, that one is pointed at."""
    span = subquery.span
    assert span is not None
    negated = _negated(subquery.query)
    for node in subquery.query.walk():
        inner = node.span if isinstance(node, SemiJoin | Exists | InSubquery) else None
        if inner is not None:
            asks_for_none = node.is_anti if isinstance(node, SemiJoin) else node in negated
            return report(
                "subquery-place",
                "this would be read for each row of the outer subquery, which is itself read for each row of the query",
                inner,
                labels=(Label(span, "the outer subquery"),),
                help=_unnested(is_anti=is_anti, asks_for_none=asks_for_none),
                query=query,
            )
    return report(
        "subquery-place",
        "a subquery cannot be read here: it is in an aggregate, tests the table of a LEFT JOIN, or needs a column "
        "that is not grouped",
        span,
        help=(
            "make it a test of WHERE; for the table of a LEFT JOIN, put it into a derived table: "
            "LEFT JOIN (SELECT … WHERE …) name ON …",
            "or split this query into two",
        ),
        query=query,
    )


def _unnested(*, is_anti: bool, asks_for_none: bool) -> str:
    """Say how a subquery in a subquery can be asked otherwise."""
    if not asks_for_none:
        return "join its tables in the FROM of the outer subquery"
    if is_anti:
        return "split this query into two: the second one tests the rows that the first one returns"
    return "write SELECT DISTINCT, and join the tables of the outer subquery in FROM: then this may be a test in WHERE"


def never_true(tests: Sequence[Contradiction], query: str | None) -> tuple[Diagnostic, ...]:
    """Say which tests exclude one another: the query has a bound, but nothing to find."""
    diagnostics = []
    for test in tests:
        effect = "the LEFT JOIN finds nothing for any row" if test.is_of_left_join else "no row passes"
        excluding = test.excluded_by
        message = f"this is never true, so {effect}"
        if excluding is not None:
            message = f"this and {excluding.text} are never both true, so {effect}"
        labels = () if excluding is None else (Label(excluding, "never true together with it"),)
        help_text = "leave it out" if excluding is None else "leave one of the two out, or write OR between them"
        fixes: tuple[Fix, ...] = ()
        if excluding is None and test.never_null is not None and is_not_null_by_reference(*test.never_null):
            fixes = declare_null(*test.never_null)
            help_text = HELP
        diagnostics.append(
            report("never-true", message, test.test, labels=labels, help=help_text, fixes=fixes, query=query)
        )
    return tuple(diagnostics)


def indistinct_pages(stops: Sequence[Stop], query: str | None) -> tuple[Diagnostic, ...]:
    """Refuse pages whose rows a cursor could not tell apart."""
    return tuple(
        report(
            "indistinct-page",
            "these rows may be equal in every column, so a cursor could not tell where a page ended",
            stop.span,
            help="give the primary key of each table in every select list, or write UNION instead of UNION ALL",
            query=query,
        )
        for stop in stops
        if stop.span is not None
    )
