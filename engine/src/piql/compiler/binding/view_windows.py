"""WINDOW of a view: the periods by which its rows are grouped, and the column that says in which a row is.

    GROUP BY room, WINDOW_START(sent) WINDOW 1 HOUR BY 5 MINUTES    →    ViewWindow("sent", 3,600,000 ms, 300,000 ms)

Raises ViewRefused for what no row could be put into, or only into too many.
"""

from __future__ import annotations

from math import gcd

from piql.compiler.binding.view_tables import refused
from piql.compiler.syntax import ast
from piql.schema.calendar import UNITS
from piql.schema.catalog import Column, Kind
from piql.schema.view_windows import DAY, ViewWindow, written_time
from piql.text.diagnostics.diagnostic import Edit, Fix

FUNCTION = "WINDOW_START"
MOST_WINDOWS = 1000
"""Of one row: a write changes a group for each of them."""
MOST_LENGTH = 36_525 * DAY
"""Milliseconds of 100 years: of much longer windows, many would begin before the year 1, where there are none."""


def window_column(expression: ast.Expression) -> ast.ColumnName | None:
    """Return the column of `WINDOW_START(column)`; None for anything else."""
    match expression:
        case ast.Call(arguments=(ast.ColumnName() as name,)) if expression.name.text.upper() == FUNCTION:
            return name
    return None


def bind_window(clause: ast.WindowClause | None, call: ast.Expression, column: Column, shown: str) -> ViewWindow:
    """Return the windows of a view, whose beginnings `call` names; `shown` is the column as the text names it."""
    if clause is None:
        span = call.span
        fix = Fix("Make windows of one hour", (Edit(span.file, span.end, span.end, " WINDOW 1 HOUR"),))
        raise refused(
            f"nothing says how long a window of {shown} is",
            span,
            "write WINDOW 1 HOUR, or WINDOW 1 HOUR BY 5 MINUTES, behind GROUP BY",
            (fix,),
        )
    if column.type.kind not in (Kind.TIMESTAMP, Kind.DATE):
        raise refused(
            f"{shown} is {column.type.with_article}, and windows are of time",
            call.span,
            f"name a TIMESTAMP or DATE column in {FUNCTION}",
        )
    length = _milliseconds(clause.length)
    if length > MOST_LENGTH:
        raise refused(
            "a window is longer than 100 years",
            clause.length.span,
            "write a shorter time, or leave out WINDOW: a group then holds the rows of all times",
        )
    step = _milliseconds(clause.step) if clause.step is not None else length
    if step > length:
        raise refused(
            "windows begin further apart than they are long, so some rows would be in none",
            clause.span,
            "write a shorter time after BY, or leave it out: windows then follow each other",
        )
    if length % step:
        raise _uneven(clause, length, step)
    if column.type.kind is Kind.DATE and step % DAY:
        raise refused(
            f"{shown} is a DATE, and these windows begin within a day",
            clause.span,
            "write whole days, such as WINDOW 7 DAYS BY 1 DAY, or group by a TIMESTAMP",
        )
    if length // step > MOST_WINDOWS:
        raise refused(
            f"each row would be in {length // step:,} windows, and a write change as many groups",
            clause.span,
            f"write a longer time after BY: a row is in at most {MOST_WINDOWS:,} windows",
        )
    return ViewWindow(column.name, length, step)


def _milliseconds(duration: ast.Duration) -> int:
    unit = UNITS[duration.unit]
    if unit.months:
        word = duration.unit.lower()
        raise refused(
            f"a {word} is not always as long, so it is no length of a window",
            duration.span,
            f"count days, or keep DATE_TRUNC('{word}', time) in a column of its own and group by that",
        )
    return duration.count * (unit.days * DAY + unit.milliseconds)


def _uneven(clause: ast.WindowClause, length: int, step: int) -> Exception:
    """Return the refusal of windows whose step does not divide their length, with the longest one that does."""
    assert clause.step is not None
    text = written_time(gcd(length, step)).upper()
    span = clause.step.span
    return refused(
        "the step of windows does not divide their length, so times are in different numbers of windows",
        clause.span,
        f"write BY {text}, or another time that divides the length",
        (Fix(f"Begin a window each {text.lower()}", (Edit(span.file, span.start, span.end, text),)),),
    )
