"""Warns of a very high bound: many requests, rows or bytes, and the limit that makes it so.

recentThoughts may take 10,101 requests; above 1,000 a query is called expensive
    CARDINALITY LIMIT 1000 (owner)     at most 1,000 subscriptions share one owner
"""

from __future__ import annotations

import re
from operator import attrgetter
from typing import NamedTuple

from piql.compiler.bounds.bound import Bound, OperatorBound, Term
from piql.schema.thresholds import Thresholds
from piql.text.diagnostics.diagnostic import Diagnostic, Label
from piql.text.diagnostics.report import report
from piql.text.source import Span

_SYMBOL = re.compile(r"[^ ·+]+")


class _Measure(NamedTuple):
    """One number of a bound, and above what it is called expensive; `field` is the same number of an operator."""

    amount: int
    threshold: int
    verb: str
    unit: str
    field: str


def expensive_query(
    bound: Bound, thresholds: Thresholds, name: str | None, span: Span, *, are_bytes_known: bool
) -> Diagnostic | None:
    """Return the warning of a query whose bound is above a threshold; `span` is that of its name.

    Bytes count only where `are_bytes_known`: those of a column without a length are a guess.
    """
    measures = [
        _Measure(bound.operations, thresholds.requests, "make", "requests", "operations"),
        _Measure(bound.rows_fetched, thresholds.rows, "read", "rows", "rows"),
        _Measure(bound.bytes if are_bytes_known else 0, thresholds.bytes, "fetch", "bytes", "bytes"),
    ]
    measure = next((measure for measure in measures if measure.amount > measure.threshold), None)
    if measure is None:
        return None
    operator = max(bound.by_operator, key=attrgetter(measure.field), default=None)
    cause = None if operator is None else _largest_term(bound, operator)
    return report(
        "expensive-query",
        f"one execution may {measure.verb} {measure.amount:,} {measure.unit}; above {measure.threshold:,} a query is "
        "called expensive",
        span,
        labels=_label(cause),
        help=(
            "a smaller limit there, or LIMIT or PAGINATE over an order that an index has, makes it cheaper",
            "if it is meant to be: `-- allow(expensive-query): why` on the line above",
        ),
        query=name,
    )


def expensive_write(bound: Bound, thresholds: Thresholds, name: str | None, span: Span) -> Diagnostic | None:
    """Return the warning of a write whose requests are above the threshold; `span` is that of its name."""
    if bound.operations <= thresholds.requests:
        return None
    limits = [term for term in bound.terms if term.number_span is not None]  # that say how many rows it changes
    cause = max(limits or bound.terms, key=lambda term: term.value, default=None)
    return report(
        "expensive-write",
        f"one execution may make {bound.operations:,} requests; above {thresholds.requests:,} a write is called "
        "expensive",
        span,
        labels=_label(cause),
        help=(
            *_share(cause),
            "a smaller limit on the rows it changes, or a LIMIT and several executions, makes it cheaper"
            if limits
            else "one limit or index fewer makes it cheaper, and so does searching the words of a shorter column",
            "if it is meant to be: `-- allow(expensive-write): why` on the line above",
        ),
        query=name,
    )


def _share(cause: Term | None) -> tuple[str, ...]:
    """Return what the most requests are made for, where no place in the text says it: by an index of the compiler."""
    return () if cause is None or cause.span is not None else (f"{cause.value:,} of them are {cause.reason}",)


def _largest_term(bound: Bound, operator: OperatorBound) -> Term | None:
    """Return the largest number in the formulas of an operator; None where these are plain numbers."""
    symbols = {*_SYMBOL.findall(operator.formula), *_SYMBOL.findall(operator.rows_formula)}
    return max((term for term in bound.terms if term.symbol in symbols), key=lambda term: term.value, default=None)


def _label(cause: Term | None) -> tuple[Label, ...]:
    if cause is None or cause.span is None:
        return ()
    return (Label(cause.number_span or cause.span, cause.reason),)
