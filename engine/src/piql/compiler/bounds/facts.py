"""The named numbers of a bound: what a limit, a LIMIT or a list stands for, and the text that proves it.

    CARDINALITY LIMIT 100 (owner)   →   `subscriptions.owner` = 100, "at most 100 subscriptions share one owner"
    LIMIT [count] MAX 50            →   `count` = 50, "[count] is at most 50"

Enters: a fact of the schema, or a number of the query. Leaves: a `Formula` of one `Term`, or the terms of a key.
"""

from __future__ import annotations

from piql.compiler.bounds.bound import Term
from piql.compiler.bounds.formula import ONE, Formula, named, number
from piql.compiler.logical.expressions import Parameter
from piql.compiler.logical.operators import Count
from piql.compiler.optimizer.analysis.whole_numbers import Stretch
from piql.compiler.physical.operators import KeyPart, RecursiveUnion, RowLimit
from piql.schema.catalog import CardinalityLimit, Table, UniqueKey

FACTORS = 3  # of the rows of one level, which are named where there are more


def of_limit(table: Table, limit: CardinalityLimit) -> Formula:
    """Return the rows of one group of a CARDINALITY LIMIT: `subscriptions.owner`, or `kind` of a whole table."""
    columns = ",".join(limit.columns)
    if limit.is_token:
        symbol, reason = (
            f"{table.name}.token({columns})",
            f"at most {limit.limit} {table.name} hold one word in {columns}",
        )
    elif not limit.columns:
        symbol, reason = table.name, f"at most {limit.limit} rows are in {table.name}"
    else:
        shared = " and ".join(limit.columns)
        symbol, reason = f"{table.name}.{columns}", f"at most {limit.limit} {table.name} share one {shared}"
    return named(Term(symbol, limit.limit, reason, limit.span, limit.limit_span))


def of_count(count: Count) -> Formula:
    """Return the rows that a LIMIT or PAGINATE lets through: its parameter's name, or its number."""
    if count.max == 0:
        return number(0)
    if count.parameter is not None:
        reason = f"[{count.parameter}] is at most {count.max}"
        return named(Term(count.parameter, count.max, reason, count.span, count.max_span))
    reason = f"the query stops after {count.max} rows"
    return named(Term(str(count.max), count.max, reason, count.span, count.max_span))


def of_levels(union: RecursiveUnion) -> Formula:
    """Return the number of levels that MAX n LEVELS lets through."""
    reason = f"at most {union.levels} levels of {union.name} are read after the first rows"
    return named(Term(str(union.levels), union.levels, reason, union.levels_span, union.levels_span))


def named_level(union: RecursiveUnion, level: int, rows: Formula) -> Formula:
    """Return the rows of one level under a name where they are a long product: `level 4`.

    Else a formula of sixty levels would have products of sixty factors.
    """
    if all(len(terms) <= FACTORS for terms, _ in rows.products):
        return rows
    reason = f"level {level} of {union.name} has at most {rows} rows"
    return named(Term(f"level {level}", rows.value, reason, union.levels_span, union.levels_span))


def of_key(table: Table, key: UniqueKey | None) -> tuple[Term, ...]:
    """Return the proof that a key (None: the primary key) has one row; formulas do not show this factor of 1."""
    columns = table.primary_key if key is None else key.columns
    kind, span = ("PRIMARY KEY", table.key_span) if key is None else ("UNIQUE", key.span)
    return (Term("1", 1, f"{kind} ({', '.join(columns)}): one row of {table.name} at most", span),)


def of_row_limit(table: Table, limit: RowLimit) -> Formula:
    """Return the most rows of one read: by its stop, its limit or its key."""
    if limit.count is not None and limit.max >= limit.count.max:
        return of_count(limit.count)
    of_one = of_limit(table, limit.because) if isinstance(limit.because, CardinalityLimit) else ONE
    if limit.max == 0:
        return number(0)
    return of_one if limit.within is None else of_stretch(limit.within) * of_one


def of_stretch(within: Stretch) -> Formula:
    """Return how many whole numbers lie in a range with two ends."""
    count = str(within.values)
    return named(Term(count, within.values, f"{within.column} is one of {count} whole numbers", within.span))


def proofs_of_row_limit(table: Table, limit: RowLimit) -> tuple[Term, ...]:
    """Return the keys that limit a read to one row; limits and stops are named in the formula itself."""
    if limit.count is not None and limit.max >= limit.count.max:
        return ()
    if isinstance(limit.because, CardinalityLimit) or limit.max == 0:
        return ()
    return of_key(table, limit.because if isinstance(limit.because, UniqueKey) else None)


def of_prefix(prefix: tuple[KeyPart, ...]) -> Formula:
    """Return the combinations of key values that an IN list or an OR asks for."""
    total = ONE
    for part in prefix:
        if len(part.values) == 1 and not isinstance(part.values[0], Parameter):
            continue
        values = 0
        lists = number(0)
        for value in part.values:
            if isinstance(value, Parameter) and value.max_items is not None:
                reason = f"[{value.name}] holds at most {value.max_items} values"
                lists = lists + named(
                    Term(value.name, value.max_items, reason, value.span, next(iter(value.max_spans), None))
                )
            else:
                values += 1
        total = total * (lists + number(values))
    return total
