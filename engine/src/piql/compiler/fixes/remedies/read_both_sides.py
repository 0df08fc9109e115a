"""Remedy: the two ranges around a value instead of the test for another value, which no index applies."""

from __future__ import annotations

from piql.compiler.fixes.remedy import Change, Patient, Remedy
from piql.compiler.syntax import ast
from piql.text.diagnostics.diagnostic import Edit


def read_both_sides(patient: Patient) -> list[Remedy]:
    """Return for each `a <> b` that blocks a stop `(a < b OR a > b)`, which is read as two ranges."""
    if patient.body is None:
        return []
    blockers = {(each.start, each.end) for gap in patient.gaps if gap.kind == "blocked" for each in gap.blockers}
    found: list[Remedy] = []
    for node in patient.body.find(ast.Binary):
        span = node.span
        if node.operator == "<>" and (span.start, span.end) in blockers:
            left, right = node.left.span.text, node.right.span.text
            edit = Edit(span.file, span.start, span.end, f"({left} < {right} OR {left} > {right})")
            found.append(
                Remedy(
                    f"Read both sides of {right}",
                    "the answer stays the same; it is read as two ranges",
                    Change.NOTHING,
                    edit=edit,
                    excludes=f"test {span.start}",
                )
            )
    return found
