"""Warns of a SELECT that takes the stripes of a view for its groups: it gets parts of a count, not the count.

    SELECT likes FROM likesOfPost WHERE post = [post]                             up to 8 rows, a part of the likes each
    SELECT SUM(likes) AS likes FROM likesOfPost WHERE post = [post] GROUP BY post    the likes

Whoever names `stripe` means the parts.
"""

from __future__ import annotations

from piql.compiler.binding.added_up_stripes import added_up
from piql.compiler.binding.scope import ScopeRelation
from piql.compiler.binding.stripes_read import (
    BoundSelect,
    StripesRead,
    is_anti_join,
    of_derived,
    of_view,
    taken_aggregates,
)
from piql.compiler.binding.sums_of_stripes import adds_up
from piql.compiler.logical import expressions as bound
from piql.compiler.logical import operators as logical
from piql.schema.view_stripes import STRIPE
from piql.text.diagnostics.diagnostic import Diagnostic
from piql.text.diagnostics.report import report
from piql.text.source import Span

_ADD = "add them up with SUM"
_ADD_BEFORE = "add them up with SUM in a derived table before"
_CODE = "parts-of-groups"


def report_parts(diagnostics: list[Diagnostic], select: BoundSelect) -> None:
    """Add the warning of a SELECT, and take those of its derived tables away whose rows it adds up."""
    for derived in select.derived:
        stripes = of_derived(derived)
        if stripes is not None and not select.are_rows_counted and _first_part(select, stripes, derived.span) is None:
            parts = [finding for finding in diagnostics if finding.code == _CODE and _is_within(finding.span, derived)]
            diagnostics[:] = [finding for finding in diagnostics if finding not in parts]
    for relation in select.relations:
        warning = _warning(select, relation)
        if warning is not None:
            diagnostics.append(warning)
            return


def _warning(select: BoundSelect, relation: ScopeRelation) -> Diagnostic | None:
    """Return the warning of one relation; None where its stripes are added up, named or left out, or it has none."""
    table = relation.table
    if table is None or table.view is None or table.view.stripes is None:
        return None
    stripes = of_view(relation.alias, table)
    if is_anti_join(select.plan, stripes) or any(
        _names_stripe(column, relation) for column in stripes.columns(select.plan)
    ):
        return None
    part = _first_part(select, stripes, relation.span)
    if part is None:
        return None
    span, problem, way_out = part
    return report(
        _CODE,
        f"{problem}: a group of {table.name} is up to {table.view.stripes.count} rows, its stripes",
        span,
        help=f"{way_out}, or name the column stripe if the parts are meant",
        fixes=added_up(select, relation, table, stripes),
    )


def _names_stripe(column: bound.ColumnRef, relation: ScopeRelation) -> bool:
    """Return whether a column is `stripe`, and was written: `*` has it in any case."""
    is_star = column.span is None or column.span.text.endswith("*")
    return column.relation == relation.alias and column.name == STRIPE and not is_star


def _is_within(span: Span, derived: logical.Derived) -> bool:
    around = derived.span
    return around is not None and span.file == around.file and around.start <= span.start and span.end <= around.end


def _first_part(select: BoundSelect, stripes: StripesRead, whole: Span | None) -> tuple[Span, str, str] | None:
    """Return where a stripe is taken for its group, how, and what to do instead; `whole` is what gives the rows."""
    for column in stripes.columns(select.plan):
        if stripes.is_sum(column) and column.span is not None:
            name = column.name if column.span.text.endswith("*") else column.span.text
            return column.span, f"{name} is that of one stripe", _ADD
    for aggregate in taken_aggregates(select.plan, select.aggregates):
        if aggregate.span is not None and not _is_that_of_groups(aggregate, stripes):
            return aggregate.span, f"{aggregate.span.text} takes each stripe for itself", _ADD_BEFORE
    if select.are_rows_counted and whole is not None:
        return whole, "each row comes once for each stripe", "take each once with DISTINCT"
    return None


def _is_that_of_groups(aggregate: bound.Aggregate, stripes: StripesRead) -> bool:
    """Return whether an aggregate over stripes is what it is over groups."""
    operand = aggregate.operand
    if aggregate.function == "SUM" and not aggregate.distinct:
        return operand is not None and adds_up(operand, stripes.is_sum, stripes.may_be_null)
    parts = (*aggregate.order, *((operand,) if operand is not None else ()))
    takes_sums = any(stripes.is_sum(column) for part in parts for column in bound.columns_in(part))
    return not takes_sums and (aggregate.distinct or aggregate.function in ("MIN", "MAX"))
