"""CAST: a value as another type. A parameter takes the type itself, and a literal is converted here."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from piql.compiler.binding.alike import awaits_type
from piql.compiler.binding.type_names import bind_type
from piql.compiler.binding.types import BARE, bare, is_text, number_type, type_of
from piql.compiler.logical import expressions as logical
from piql.compiler.syntax import ast
from piql.schema.catalog import Kind, SqlType
from piql.schema.conversions import Conversion, conversion
from piql.schema.values import ValueMismatch
from piql.text.source import Span

if TYPE_CHECKING:
    from piql.compiler.binding.expressions import ExpressionBinder

TEXT = BARE[Kind.TEXT]


def bind_cast(binder: ExpressionBinder, node: ast.Cast) -> logical.Expression | None:
    """Bind a CAST; None, after a report, for a type that is unknown or has no conversion from that of the operand."""
    findings = binder.context.diagnostics
    before = len(findings)
    target = bind_type(node.type, findings)
    operand = binder.value(node.operand, bare(target) if awaits_type(node.operand) else None)
    if operand is None or len(findings) > before:
        return None
    source = number_type(operand)
    convert = conversion(source, target)
    if convert is None:
        binder.report(
            "type-mismatch",
            f"{source.with_article} has no meaning as {target.with_article}",
            node.span,
            "numbers, texts, dates, times, ids and BOOLEAN convert to and from text",
        )
        return None
    if isinstance(operand, logical.Constant):
        return _converted(binder, node, operand, convert, target)
    if type_of(operand) == target or _holds(target, source):
        return replace(operand, span=node.span)
    return logical.FunctionCall(name="CAST", arguments=(operand,), type=target, span=node.span)


def at_one_kind(
    left: logical.Expression | None, right: logical.Expression | None
) -> tuple[logical.Expression | None, logical.Expression | None]:
    """Return two sides of a comparison; a DATE beside a TIMESTAMP is the time at which it begins, in UTC."""
    if left is None or right is None:
        return left, right
    kinds = (type_of(left).kind, type_of(right).kind)
    if kinds == (Kind.DATE, Kind.TIMESTAMP):
        return _as_time(left), right
    if kinds == (Kind.TIMESTAMP, Kind.DATE):
        return left, _as_time(right)
    return left, right


def _as_time(date: logical.Expression) -> logical.Expression:
    time = BARE[Kind.TIMESTAMP]
    convert = conversion(BARE[Kind.DATE], time)
    assert convert is not None
    if isinstance(date, logical.Constant):
        return logical.Constant(value=convert(date.value), type=time, span=date.span)
    return logical.FunctionCall(name="CAST", arguments=(date,), type=time, span=date.span)


def as_text(value: logical.Expression, span: Span) -> logical.Expression:
    """Return a value of any type but BLOB as its text, NULL as NULL."""
    source = number_type(value)
    if is_text(source) or source.kind is Kind.NULL:
        return value
    convert = conversion(source, TEXT)
    assert convert is not None, "every type but BLOB has a text"
    if isinstance(value, logical.Constant):
        return logical.Constant(value=convert(value.value), type=TEXT, span=span)
    return logical.FunctionCall(name="CAST", arguments=(value,), type=TEXT, span=span)


def _holds(target: SqlType, source: SqlType) -> bool:
    """Return whether all texts of one type are texts of another, unchanged."""
    if not (is_text(target) and is_text(source)):
        return False
    return target.length is None or (source.length is not None and source.length <= target.length)


def _converted(
    binder: ExpressionBinder, node: ast.Cast, literal: logical.Constant, convert: Conversion, target: SqlType
) -> logical.Constant | None:
    """Return a literal as the other type; None, after a report, where it does not fit."""
    try:
        value = None if literal.value is None else convert(literal.value)
    except ValueMismatch as mismatch:
        binder.report("type-mismatch", str(mismatch), node.span)
        return None
    return logical.Constant(value=value, type=bare(target), span=node.span)
