"""The bound of a write: gets, counts, puts and deletes of one record, its index entries and its constraints."""

from __future__ import annotations

from piql.bounds.bound import Bound, OperatorBound, Term
from piql.catalog import CardinalityLimit, Index, Table
from piql.physical.operators import WritePlan
from piql.physical.widths import UNSIZED_BYTES, columns_bytes
from piql.physical.writes import change_of


def bound_of_write(plan: WritePlan) -> Bound:
    """Add up the requests of a write; each is a term with its reason."""
    table = plan.table
    gets = [Term("1", 1, f"the row of {table.name} as it was", table.key_span)]
    for key in plan.references:
        gets.append(Term("1", 1, f"the row of {key.table} that {', '.join(key.columns)} names", key.span))
    for unique, _ in plan.unique_checks:
        gets.append(Term("1", 1, f"whether another row has this {', '.join(unique.columns)}", unique.span))
    for other, key, _ in plan.referrers:
        gets.append(Term("1", 1, f"whether {other.name} still names the row by {', '.join(key.columns)}", key.span))
    counts = [_count(table, limit) for limit, _ in plan.counted_limits]
    puts = [Term("1", 1, f"the row of {table.name}", None)] if plan.kind != "delete" else []
    deletes = [Term("1", 1, f"the row of {table.name}", None)] if plan.kind == "delete" else []
    for index in plan.indexes:
        change = change_of(plan, index)
        entries = most_entries(table, index)
        if change != "none" and plan.kind != "delete":
            puts.append(Term(str(entries), entries, f"new entries of {index.name}", index.span))
        if change == "replace":
            deletes.append(Term(str(entries), entries, f"stale entries of {index.name}", index.span))
    steps = (("gets", gets), ("counts", counts), ("puts", puts), ("deletes", deletes))
    totals = {name: sum(term.value for term in terms) for name, terms in steps}
    formula = " + ".join(str(totals[name]) for name, terms in steps if terms)
    operations = sum(totals.values())
    checks = len(gets) > 1 or bool(counts)
    width = columns_bytes(table, (column.name for column in table.columns))
    return Bound(
        operations=operations,
        round_trips=3 if checks else 2,
        rows=0,
        bytes=width,
        formula=formula,
        rows_formula="0",
        rows_fetched=totals["gets"],
        terms=tuple(term for _, terms in steps for term in terms),
        by_operator=(OperatorBound((), plan.kind.capitalize(), operations, formula, 0, "0", width),),
        puts=totals["puts"],
        deletes=totals["deletes"],
        reads=totals["gets"],
        counts=totals["counts"],
    )


def most_entries(table: Table, index: Index) -> int:
    """Give how many entries one row has in an index: one, or one for each word of its texts."""
    token = next((each for each in index.columns if each.token_of), None)
    return most_words(table, token.token_of) if token is not None else 1


def most_words(table: Table, names: tuple[str, ...]) -> int:
    """Give how many words texts can hold: a letter and a space each, in as many characters as their types allow."""
    found = 0
    for name in names:
        column = table.column(name)
        length = column.type.length if column is not None else None
        found += ((length if length is not None else UNSIZED_BYTES) + 1) // 2
    return found


def _count(table: Table, limit: CardinalityLimit) -> Term:
    columns = ", ".join(limit.columns)
    if limit.is_token:
        words = most_words(table, limit.columns)
        return Term(str(words), words, f"how many {table.name} hold each word in {columns}", limit.span)
    return Term("1", 1, f"how many {table.name} share this {columns}", limit.span)
