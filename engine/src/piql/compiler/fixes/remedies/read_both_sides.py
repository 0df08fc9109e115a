"""Remedy: `a <> b` → `(a < b OR a > b)`. An index can read the two ranges; it cannot apply `<>`."""

from __future__ import annotations

from piql.compiler.fixes.remedy import Change, RefusedQuery, Remedy
from piql.compiler.syntax import ast
from piql.text.diagnostics.diagnostic import Edit


def read_both_sides(query: RefusedQuery) -> list[Remedy]:
    """Return the edit for each `<>` that keeps a LIMIT from stopping a read."""
    if query.body is None:
        return []
    blockers = {(blocker.start, blocker.end) for gap in query.gaps if gap.kind == "blocked" for blocker in gap.blockers}
    remedies: list[Remedy] = []
    for node in query.body.find(ast.Binary):
        span = node.span
        if node.operator == "<>" and (span.start, span.end) in blockers:
            left, right = node.left.span.text, node.right.span.text
            edit = Edit(span.file, span.start, span.end, f"({left} < {right} OR {left} > {right})")
            remedies.append(
                Remedy(
                    f"Read both sides of {right}",
                    "the answer stays the same; it is read as two ranges",
                    Change.NOTHING,
                    edit=edit,
                    excludes=f"test {span.start}",
                )
            )
    return remedies
