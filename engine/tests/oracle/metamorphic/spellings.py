"""The same query said otherwise: its rows and its bound must stay what they are."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

from ..query import (
    And,
    Between,
    Call,
    Case,
    Col,
    Compare,
    Const,
    Exists,
    Expr,
    In,
    InSelect,
    IsNull,
    Not,
    Or,
    Param,
    Row,
    Select,
)
from ..query_generator import QueryCase

OPPOSITE = {"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def spellings(rng: random.Random, case: QueryCase) -> Iterator[tuple[str, QueryCase]]:
    """Return each way to say a query otherwise that changes its text, with a name for it."""
    query = case.query
    if not isinstance(query, Select) or query.by:
        return
    for name, rewrite in REWRITES.items():
        rewritten_query = _everywhere(query, rewrite)
        if rewritten_query != query:
            yield name, replace(case, name=f"{case.name}_{len(name)}{name[0]}", query=rewritten_query)
    joined = _joins_as_commas(query)
    if joined != query:
        yield "JOIN as comma", replace(case, name=f"{case.name}_comma", query=joined)


def _in_as_or(expr: Any) -> Any:
    match expr:
        case In(operand, items, False) if _is_plain(operand) and not any(map(_is_list, items)):
            equalities = tuple(Compare("=", operand, item) for item in items)
            return Or(equalities) if len(equalities) > 1 else equalities[0]
    return expr


def _or_as_in(expr: Any) -> Any:
    match expr:
        case Or(operands) if all(isinstance(part, Compare) and part.operator == "=" for part in operands):
            columns = {repr(part.left) for part in operands}  # type: ignore[union-attr]
            values = tuple(part.right for part in operands)  # type: ignore[union-attr]
            first = operands[0].left  # type: ignore[union-attr]
            if (
                len(columns) == 1
                and isinstance(first, Col)
                and all(isinstance(value, Const | Param) for value in values)
            ):
                return In(first, values, False)
    return expr


def _between_as_ends(expr: Any) -> Any:
    match expr:
        case Between(operand, low, high, False) if _is_plain(operand):
            return And((Compare(">=", operand, low), Compare("<=", operand, high)))
    return expr


def _twice_negated(expr: Any) -> Any:
    match expr:
        case Compare(operator, left, right) if not isinstance(left, Row) and not isinstance(right, Row):
            return Not(Compare(OPPOSITE[operator], left, right))
    return expr


def _de_morgan(expr: Any) -> Any:
    match expr:
        case Or(operands):
            return Not(And(tuple(Not(part) for part in operands)))
    return expr


def _in_select_as_exists(expr: Any) -> Any:
    match expr:
        case InSelect(Col() as operand, Select(where=where, group=(), stop=None, is_distinct=False) as query, False):
            if len(query.items) != 1 or "Aggregate(" in repr(query.items):
                return expr
            equality = Compare("=", query.items[0].expression, operand)
            both = equality if where is None else And((where, equality))
            return Exists(replace(query, where=both, order=()), False)
    return expr


def _coalesce_as_case(expr: Any) -> Any:
    match expr:
        case Call("COALESCE", (Col() as first, otherwise)):
            return Case(((IsNull(first, True), first),), otherwise)
    return expr


def _joins_as_commas(query: Select) -> Select:
    """Write inner joins as commas, their ON in WHERE; joins after a LEFT JOIN stay."""
    conditions = [] if query.where is None else [query.where]
    sources = list(query.sources)
    for number, source in enumerate(sources):
        if source.kind == "left":
            break
        if source.kind == "inner":
            sources[number] = replace(source, kind="comma", on=None)
            conditions += [] if source.on is None else [source.on]
    if tuple(sources) == query.sources:
        return query
    where = And(tuple(conditions)) if len(conditions) > 1 else conditions[0] if conditions else None
    return replace(query, sources=tuple(sources), where=where)


REWRITES: dict[str, Callable[[Any], Any]] = {
    "IN as OR": _in_as_or,
    "OR as IN": _or_as_in,
    "BETWEEN as two ends": _between_as_ends,
    "negated twice": _twice_negated,
    "OR by De Morgan": _de_morgan,
    "IN (SELECT) as EXISTS": _in_select_as_exists,
    "COALESCE as CASE": _coalesce_as_case,
}


def _everywhere(node: Any, rewrite: Callable[[Any], Any]) -> Any:
    if isinstance(node, tuple):
        return tuple(_everywhere(item, rewrite) for item in node)
    if not is_dataclass(node) or isinstance(node, type):
        return node
    changed = {field.name: _everywhere(getattr(node, field.name), rewrite) for field in fields(node)}
    return rewrite(replace(node, **changed))


def _is_plain(expr: Expr) -> bool:
    return isinstance(expr, Col)


def _is_list(expr: Expr) -> bool:
    return isinstance(expr, Param) and expr.max_items is not None
