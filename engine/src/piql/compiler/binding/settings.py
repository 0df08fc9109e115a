"""SET statements → the thresholds of the application."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from piql.compiler.syntax import ast
from piql.schema.catalog import Catalog
from piql.schema.thresholds import DEFAULT, SETTINGS, Thresholds, thresholds_of
from piql.text.diagnostics.diagnostic import Diagnostic, Edit, Fix, Label
from piql.text.diagnostics.report import report
from piql.text.source import Span


def bind_settings(
    statements: Iterable[ast.Statement], diagnostics: list[Diagnostic], base: Catalog | None
) -> Thresholds:
    """Return the thresholds that the statements set, or those of `base`; report unknown and repeated names."""
    values: dict[str, int] = {}
    spans: dict[str, Span] = {}
    for statement in statements:
        if not isinstance(statement, ast.SetSetting):
            continue
        name = statement.name.text.lower()
        if name not in SETTINGS:
            diagnostics.append(_unknown(statement.name))
        elif name in spans:
            label = Label(spans[name], "the first one")
            diagnostics.append(
                report(
                    "duplicate-setting",
                    f"{name} is set twice",
                    statement.name.span,
                    labels=(label,),
                    help="leave one of them out",
                )
            )
        else:
            values[name], spans[name] = statement.value, statement.name.span
    if not values and base is not None:
        return base.thresholds
    return thresholds_of(values) if values else DEFAULT


def _unknown(name: ast.Name) -> Diagnostic:
    near = get_close_matches(name.text.lower(), SETTINGS, 1)
    span = name.span
    fixes = tuple(Fix(f"Write {word}", (Edit(span.source.name, span.start, span.end, word),)) for word in near)
    return report(
        "unknown-setting",
        f"there is no setting {name.text}",
        span,
        help=f"the settings are {', '.join(SETTINGS)}",
        fixes=fixes,
    )
