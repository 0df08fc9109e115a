"""LIMIT and PAGINATE → Stop. OFFSET is refused here, since its work grows with the offset.

LIMIT [count] MAX 50   →   Stop 50 [count]          LIMIT 20 OFFSET 40   →   refused; the fix is PAGINATE 20
"""

from __future__ import annotations

from piql.compiler.binding.expressions import QueryContext
from piql.compiler.logical import operators as logical
from piql.compiler.syntax import ast
from piql.text.diagnostics.diagnostic import Edit, Fix
from piql.text.diagnostics.report import report
from piql.text.source import Span

DEFAULT_PAGE = "20"  # rows of a page, offered where the text has no count above 0


def with_stop(
    context: QueryContext, node: ast.Select | ast.UnionQuery, plan: logical.LogicalNode
) -> logical.LogicalNode:
    """Return the plan with the Stop of LIMIT or PAGINATE on top; unchanged without one."""
    count = count_of(context, node)
    if count is None or node.stop is None:
        return plan
    return logical.Stop(count=count, is_page=node.stop.is_page, input=plan, span=node.stop.span)


def count_of(context: QueryContext, node: ast.Select | ast.UnionQuery) -> logical.Count | None:
    """Return the count of LIMIT or PAGINATE; None without one, or after an error. An OFFSET is reported, but for 0."""
    if node.offset is not None and not _skips_nothing(node.offset):
        _refuse_offset(context, node, node.offset)
    stop = node.stop
    if stop is None:
        return None
    if stop.is_page and context.nesting > 0:
        word = Span(stop.span.source, stop.span.start, stop.span.start + len("PAGINATE"))
        edit = Edit(word.file, word.start, word.end, "LIMIT")
        fix = Fix("Change to LIMIT", (edit,), consequence="the subquery then gives only its first rows")
        message = "only the outermost query is read page by page"
        context.diagnostics.append(report("nested-page", message, word, help="write LIMIT here", fixes=(fix,)))
    if isinstance(stop.count, ast.ParameterUse):
        maximum = context.parameters.count(stop.count, "PAGINATE" if stop.is_page else "LIMIT")
        return logical.Count(max=maximum or 0, parameter=stop.count.name, span=stop.span, max_span=stop.count.max_span)
    assert isinstance(stop.count.value, int)
    max_span = stop.count.span if stop.count.span.text.isdigit() else None  # FETCH FIRST ROW ONLY has no number
    return logical.Count(max=stop.count.value, span=stop.span, max_span=max_span)


def _skips_nothing(offset: ast.OffsetClause) -> bool:
    """Whether an OFFSET is 0, as programs write it for the first page."""
    return isinstance(offset.count, ast.LiteralValue) and offset.count.value == 0 and offset.count.value is not False


def _refuse_offset(context: QueryContext, node: ast.Select | ast.UnionQuery, offset: ast.OffsetClause) -> None:
    """Report an OFFSET, which reads rows and drops them; the fix is PAGINATE, which continues after the page before."""
    stop, span = node.stop, offset.span
    clause = "LIMIT with two numbers" if stop is not None and stop.span == span else "OFFSET"
    count = DEFAULT_PAGE
    if stop is not None:
        span = stop.span.to(offset.span)
        count = str(stop.count.value) if isinstance(stop.count, ast.LiteralValue) else stop.count.span.text
        if isinstance(stop.count, ast.ParameterUse) and stop.count.max is not None:
            count += f" MAX {stop.count.max}"
        if count == "0":
            count = DEFAULT_PAGE
    edit = Edit(span.file, span.start, span.end, f"PAGINATE {count}")
    change = "the answer comes in pages: an execution passes the cursor of the page before instead of an offset"
    fix = Fix(f"Use PAGINATE {count}", (edit,), consequence=change)
    context.diagnostics.append(
        report(
            "offset",
            f"{clause} reads all the rows that it skips, so its work grows with the offset: use PAGINATE instead",
            offset.span,
            help=f"PAGINATE {count} gives the next page from a cursor, at the same cost for every page",
            fixes=(fix,),
        )
    )
