"""Remedy: declare the FOREIGN KEY that a join follows. A LIMIT can then stop the read below the join.

… FROM thoughts t JOIN users u ON u.name = t.owner … LIMIT 10
→ CREATE TABLE thoughts (…, FOREIGN KEY (owner) REFERENCES users): each thought has its user, so 10 thoughts suffice
"""

from __future__ import annotations

from piql.compiler.fixes.remedy import Change, LimitLine, RefusedQuery, Remedy


def add_foreign_key(query: RefusedQuery) -> list[Remedy]:
    """Return the foreign keys that would prove that each row of a gap has its match."""
    remedies: dict[LimitLine, Remedy] = {}
    for gap in query.gaps:
        for reference in gap.references:
            line = LimitLine(gap.table.name, reference.clause)
            consequence = (
                f"writes to {gap.table.name} that name no row of {reference.table} are refused, and so is the DELETE "
                "of a row that is named; the answer stays the same"
            )
            title = f"Add {reference.clause} to {gap.table.name}"
            is_whole = set(gap.table.primary_key) <= set(reference.columns)  # each row would need another of its own
            change = Change.WRITES if is_whole else Change.DANGLING_WRITES
            remedies.setdefault(line, Remedy(title, consequence, change, line))
    return list(remedies.values())
