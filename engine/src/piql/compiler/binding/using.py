"""JOIN … USING (columns), which joins by columns that both sides have; and NATURAL JOIN, which is refused.

a JOIN b USING (id)   →   a JOIN b ON a.id = b.id, where `id` alone means a.id, and * has it once, as first column
"""

from __future__ import annotations

from piql.compiler.binding.expressions import ExpressionBinder
from piql.compiler.binding.scope import Scope, ScopeColumn, ScopeRelation
from piql.compiler.logical import expressions as logical
from piql.compiler.syntax import ast
from piql.compiler.syntax.print_queries import written
from piql.text.diagnostics.diagnostic import Diagnostic, Edit, Fix
from piql.text.diagnostics.report import report


def equal_columns(binder: ExpressionBinder, join: ast.JoinClause) -> logical.Expression | None:
    """Return the equalities of a USING between the last relation of the scope and those before it.

    None, after a report, where a column is not on both sides, or twice on the left.
    """
    right = binder.scope.relations[-1]
    left = Scope(binder.scope.relations[:-1])
    tests: list[logical.Expression] = []
    for name in join.using:
        used = ast.ColumnName(qualifier=None, name=name, span=name.span)
        column = left.resolve(used)
        match = Scope([right]).resolve(used)
        if not isinstance(column, logical.ColumnRef) or not isinstance(match, logical.ColumnRef):
            wrong = match if isinstance(column, logical.ColumnRef) else column
            if isinstance(wrong, Diagnostic):
                binder.context.diagnostics.append(wrong)
            return None
        if not binder.check_comparable(column, match, used, used, name.span):
            return None
        tests.append(logical.Comparison(operator="=", left=column, right=match, span=name.span))
    for name in join.using:
        assert right.columns is not None
        right.merged[name.text.lower()] = right.columns[name.text.lower()]
    return tests[0] if len(tests) == 1 else logical.And(operands=tuple(tests), span=join.span)


def merged_columns(scope: Scope) -> dict[str, tuple[ScopeRelation, ScopeColumn]]:
    """Return the columns of all USINGs of a FROM, by lower case, each with the relation that their names mean."""
    merged: dict[str, tuple[ScopeRelation, ScopeColumn]] = {}
    for relation in scope.relations:
        for fold in relation.merged:
            for owner in scope.relations:
                if owner.columns is not None and fold in owner.columns and fold not in owner.merged:
                    merged.setdefault(fold, (owner, owner.columns[fold]))
    return merged


def natural_join(join: ast.JoinClause, scope: Scope) -> Diagnostic:
    """Return the refusal of a NATURAL JOIN; the fix writes the columns that it would join by."""
    right = scope.relations[-1]
    on_left = {fold for relation in scope.relations[:-1] for fold in relation.columns or ()}
    shared = {fold: column for fold, column in (right.columns or {}).items() if fold in on_left}
    right.merged.update(shared)  # so that no name is called ambiguous beside this
    common = [column.name for column in shared.values()]
    span = join.natural_span or join.span
    message = "NATURAL JOIN is not part of PIQL: each new column could change what it joins by"
    if not common:
        return report("not-in-piql", message, span, help="write JOIN … USING (columns), or ON with a condition")
    names = ", ".join(map(written, common))
    following = span.source.text[span.end :]
    blanks = len(following) - len(following.lstrip())
    end = join.table.span.end
    edits = (Edit(span.file, span.start, span.end + blanks, ""), Edit(span.file, end, end, f" USING ({names})"))
    fixes = (Fix(f"Join USING ({names})", edits),)
    return report("not-in-piql", message, span, help=f"write JOIN … USING ({names})", fixes=fixes)
