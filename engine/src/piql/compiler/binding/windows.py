"""Window functions are refused; the fix removes one from the select list and orders the query as its window."""

from __future__ import annotations

import re

from piql.compiler.syntax import ast
from piql.text.diagnostics.diagnostic import Diagnostic, Edit, Fix
from piql.text.diagnostics.report import report

HELP = "use GROUP BY over a bounded section, or order the rows and number them in the application"
_ORDER = re.compile(r"\bORDER\s+BY\s+(?P<keys>[^()]*?)\s*(?:\b(?:ROWS|RANGE|GROUPS)\b[^()]*)?\)\s*$", re.IGNORECASE)
_PARTITION = re.compile(r"\bPARTITION\s+BY\b", re.IGNORECASE)


def window_function(select: ast.Select, item: ast.SelectItem, call: ast.Call) -> Diagnostic:
    """Return the diagnostic that refuses a window function, with the fix that removes its output."""
    name = call.name.text.upper()
    edits = _without(select, item)
    consequence = f"changes the answer: it has no column of {name}"
    fixes = (Fix(f"Leave {name} out", edits, consequence=consequence),) if edits else ()
    return report("window-function", refusal(name), call.span, help=HELP, fixes=fixes)


def refusal(name: str) -> str:
    """Return the message that refuses a window function."""
    return f"{name} … OVER is refused: window functions are not part of PIQL"


def _without(select: ast.Select, item: ast.SelectItem) -> tuple[Edit, ...]:
    """Return the edits that remove an output with its comma, and give the query the order of its window."""
    items = select.items
    if len(items) < 2:
        return ()
    file, at = item.span.file, items.index(item)
    start = items[at - 1].span.end if at else item.span.start
    edits = [Edit(file, start, item.span.end if at else items[1].span.start, "")]
    call = item.expression
    assert isinstance(call, ast.Call)
    assert call.over is not None
    order = _ORDER.search(call.over.text)
    is_ordered = select.order is not None or _PARTITION.search(call.over.text) is not None
    if order is not None and not is_ordered:
        clause = f"ORDER BY {order['keys']}"
        if select.stop is not None:
            edits.append(Edit(file, select.stop.span.start, select.stop.span.start, f"{clause} "))
        else:
            edits.append(Edit(file, select.span.end, select.span.end, f" {clause}"))
    return tuple(edits)
