"""Types as they are written: `VARCHAR(32)` → the type with its length. An unknown one is reported with the nearest."""

from __future__ import annotations

from piql.compiler.binding.scope import spelling_fix, suggestion
from piql.compiler.binding.types import BARE
from piql.compiler.syntax import ast
from piql.schema.catalog import Kind, SqlType
from piql.schema.decimals import MAX_PRECISION
from piql.schema.types import COLUMN_TYPES, KIND_OF_NAME, KINDS, NEAREST_TYPE
from piql.text.diagnostics.diagnostic import Diagnostic
from piql.text.diagnostics.report import report
from piql.text.source import Span


def bind_type(node: ast.TypeName, diagnostics: list[Diagnostic]) -> SqlType:
    """Return a type as written; after a report NULL, which fits everything, or the type without its numbers."""
    kind = KIND_OF_NAME.get(node.name)
    arguments = node.arguments
    if kind is None:
        diagnostics.append(_unknown(node))
        return BARE[Kind.NULL]
    most = COLUMN_TYPES[kind].numbers
    if len(arguments) > most:
        message = f"{node.name} takes {most or 'no'} number{'s' * (most > 1)}"
        diagnostics.append(report("unknown-type", message, node.span))
        return BARE[kind]
    if not arguments:
        return BARE[kind]
    if kind is Kind.DECIMAL:
        precision, scale = arguments[0], arguments[1] if len(arguments) > 1 else 0
        if not 1 <= precision <= MAX_PRECISION or scale > precision:
            message = f"DECIMAL(digits, digits after the point) holds 1 to {MAX_PRECISION} digits"
            diagnostics.append(report("bad-number", message, node.span))
            return BARE[kind]
        return SqlType(kind, precision=precision, scale=scale)
    if arguments[0] < 1:
        diagnostics.append(report("bad-number", f"{node.name} holds at least 1 character", node.span))
        return BARE[kind]
    return SqlType(kind, length=arguments[0])


def _unknown(node: ast.TypeName) -> Diagnostic:
    near = NEAREST_TYPE.get(node.name) or suggestion(node.name, KIND_OF_NAME)
    types = ", ".join(kind.value for kind in KINDS)
    name = Span(node.span.source, node.span.start, node.span.start + len(node.name))
    return report(
        "unknown-type",
        f"there is no type {node.span.text}",
        node.span,
        help=f"did you mean {near}?" if near else f"the types are {types}",
        fixes=(spelling_fix(name, near),) if near else (),
    )
