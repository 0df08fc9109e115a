"""Functions whose values the execution gives: the time at which it began, and new ids.

    at < CURRENT_TIMESTAMP    →    at < a `Parameter` whose value the execution gives, not its caller

The time is one value in the whole execution, wherever it stands. Every call of UUID() is an id of its own, so it
stands only where a row is written, or where a unit names it by LET.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from piql.compiler.binding.types import BARE
from piql.compiler.logical import expressions as logical
from piql.compiler.syntax import ast
from piql.schema.catalog import Kind, SqlType, Supply
from piql.text.source import Span

if TYPE_CHECKING:
    from piql.compiler.binding.expressions import ExpressionBinder


@dataclass(frozen=True, slots=True)
class Supplied:
    """A function without arguments: what it gives; `usage` and `meaning` are for editor and reference."""

    gives: Supply
    usage: str
    meaning: str


_TIME = "the time at which the execution began, in UTC"
_ID = "a new random UUID for each call, in INSERT, SET and LET"

SUPPLIED: dict[str, Supplied] = {
    "CURRENT_TIMESTAMP": Supplied("CURRENT_TIMESTAMP", "CURRENT_TIMESTAMP", _TIME),
    "CURRENT_DATE": Supplied("CURRENT_DATE", "CURRENT_DATE", "the day on which the execution began, in UTC"),
    "NOW": Supplied("CURRENT_TIMESTAMP", "NOW()", f"{_TIME}; for a TIMEUUID column, a new id of that time"),
    "UUID": Supplied("UUID", "UUID()", _ID),
    "GEN_RANDOM_UUID": Supplied("UUID", "GEN_RANDOM_UUID()", _ID),
}
KINDS_SUPPLIED: dict[Supply, Kind] = {
    "CURRENT_TIMESTAMP": Kind.TIMESTAMP,
    "CURRENT_DATE": Kind.DATE,
    "UUID": Kind.UUID,
    "TIMEUUID": Kind.TIMEUUID,
}


def bind_supplied(
    binder: ExpressionBinder, node: ast.Call, function: Supplied, expected: SqlType | None
) -> logical.Parameter | None:
    """Return the value that an execution gives; None, after a report, for arguments, or an id where none is written."""
    name = node.name.text.upper()
    if node.arguments or node.is_star or node.is_distinct:
        binder.report("function-arguments", f"{name} takes no arguments: write {function.usage}", node.span)
        return None
    gives = function.gives
    if name == "NOW" and expected is not None and expected.kind is Kind.TIMEUUID:
        gives = "TIMEUUID"
    if gives in ("CURRENT_TIMESTAMP", "CURRENT_DATE"):
        return supplied_value(gives, 0, node.span)
    if binder.clause not in ("VALUES", "SET", "LET"):
        binder.report(
            "function-arguments",
            f"{name} makes a new id, so it stands only in VALUES, SET and LET, not in {binder.clause}",
            node.span,
            "give the id as a parameter: [id]",
        )
        return None
    return supplied_value(gives, binder.context.new_id(), node.span)


def supplied_value(gives: Supply, number: int, span: Span) -> logical.Parameter:
    """Return the parameter of a supplied value; `number` tells the new ids of one statement apart."""
    name = f"{gives}()" if number == 0 else f"{gives}() {number}"
    return logical.Parameter(name=name, type=BARE[KINDS_SUPPLIED[gives]], supplied=gives, span=span)
