"""Relations between the answers of queries that differ in one predicate.

Ternary logic partitioning (Rigger and Su, OOPSLA 2020): each row of a query satisfies exactly one of p, NOT p and
p IS NULL, so that the rows of the three partitions together are the rows of the query without p.

Non-optimising reference engine construction (Rigger and Su, ESEC/FSE 2020): the rows that WHERE p finds are those for
which p, as a value of each row, is TRUE; no index can serve the second.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext

from ..compare import plain
from ..contents import Contents
from ..predicates import PredicateGenerator, Sight
from ..query import Aggregate, And, Col, Expr, IsNull, Item, Not, Select, parameters_of
from ..query_generator import QueryCase
from ..schema import Schema
from ..schema_generator import Pools

Rows = Sequence[tuple[object, ...]]
FLAG = "flag"
FIRST_PARAMETER = 1_000  # the parameters of a query itself are fewer


@dataclass(frozen=True, slots=True)
class Relation:
    """Queries of one world and what must be so of their rows: `broken` says what is not, or gives None.

    The first of `cases` is the query without the predicate; `broken` gets the rows of each, in their order.
    """

    name: str
    cases: tuple[QueryCase, ...]
    broken: Callable[[Sequence[Rows]], str | None]


def relations(rng: random.Random, schema: Schema, contents: Contents, case: QueryCase) -> list[Relation]:
    """Return the relations of a query with a random predicate; none if it has groups or reads no tables."""
    query = case.query
    if not isinstance(query, Select) or query.by or query.group or _has_aggregate(query):
        return []
    if not query.sources or not all(isinstance(source.relation, str) for source in query.sources):
        return []
    base = replace(query, order=(), stop=None, is_star=False)
    generator = PredicateGenerator(rng, schema, Pools(rng, schema), contents, False)
    generator.parameters.used = FIRST_PARAMETER
    sights = [generator.sight(source.alias, schema.table(str(source.relation))) for source in base.sources]
    predicate = generator.extra(sights)
    samples = tuple(
        own_sample | new for own_sample, new in zip(case.samples, generator.parameters.samples, strict=True)
    )

    def variant(name: str, select: Select) -> QueryCase:
        used = parameters_of(select)
        used_sample = tuple({key: value for key, value in sample.items() if key in used} for sample in samples)
        return QueryCase(f"{case.name}_{name}", select, used_sample, case.style)

    whole = variant("base", base)
    partitions = tuple(
        variant(name, _where(base, condition))
        for name, condition in (
            ("true", predicate),
            ("false", Not(predicate)),
            ("null", IsNull(predicate, False)),
        )
    )
    relations = [Relation("TLP", (whole, *partitions), _differ_as_sets if base.is_distinct else _differ_as_bags)]
    if not base.is_distinct:
        flagged = variant("flag", replace(base, items=(*base.items, Item(predicate, FLAG))))
        relations.append(Relation("NoREC", (flagged, partitions[0]), _differ_from_flag))
        relations += _of_aggregates(rng, schema, sights, base, (whole, *partitions), variant)
    return relations


def _of_aggregates(
    rng: random.Random,
    schema: Schema,
    sights: Sequence[Sight],
    base: Select,
    cases: Sequence[QueryCase],
    variant: Callable[[str, Select], QueryCase],
) -> list[Relation]:
    """Return TLP of COUNT, SUM, MIN and MAX: those of the partitions add up to those of the whole."""
    sight = rng.choice(sights)
    numbers = [column for column in sight.table.columns if column.type.kind in ("INT", "BIGINT", "DECIMAL")]
    items = [Item(Aggregate("COUNT", None), "n")]
    if numbers:
        column = rng.choice(numbers)
        reference = Col(sight.alias, column.name)
        items += [Item(Aggregate(function, reference), function.lower()) for function in ("SUM", "MIN", "MAX")]
    summed = tuple(
        variant(f"aggregate{number}", replace(part_case.query, items=tuple(items)))  # type: ignore[type-var]
        for number, part_case in enumerate(cases)
    )
    return [Relation("TLP of aggregates", summed, _differ_in_aggregates)]


def _where(query: Select, condition: Expr) -> Select:
    return replace(query, where=condition if query.where is None else And((query.where, condition)))


def _has_aggregate(query: Select) -> bool:
    return query.having is not None or any("Aggregate(" in repr(item.expression) for item in query.items)


def bag(rows: Rows) -> Counter[tuple[object, ...]]:
    return Counter(tuple(map(plain, row)) for row in rows)


def _differ_as_bags(answers: Sequence[Rows]) -> str | None:
    whole, parts = bag(answers[0]), Counter[tuple[object, ...]]()
    for part in answers[1:]:
        parts += bag(part)
    return _difference(whole, parts)


def _differ_as_sets(answers: Sequence[Rows]) -> str | None:
    whole = set(bag(answers[0]))
    parts = {row for part in answers[1:] for row in bag(part)}
    return _difference(Counter(whole), Counter(parts))


def _differ_from_flag(answers: Sequence[Rows]) -> str | None:
    flagged, partition = answers
    return _difference(bag([row[:-1] for row in flagged if row[-1] is True]), bag(partition))


def _differ_in_aggregates(answers: Sequence[Rows]) -> str | None:
    whole, *parts = [tuple(map(_number, answer[0])) for answer in answers]
    columns = list(zip(*parts, strict=True))
    expected: list[Decimal | None] = [_sum([count for count in columns[0] if count is not None])]
    if len(whole) > 1:
        for column, function in zip(columns[1:], (_sum, min, max), strict=True):
            values = [value for value in column if value is not None]
            expected.append(function(values) if values else None)
    return None if list(whole) == expected else f"the whole gives {whole}, its parts together {expected}"


def _sum(values: Sequence[Decimal]) -> Decimal:
    """Add without rounding: a DECIMAL of 38 digits passes the 28 of the context that a process begins with."""
    with localcontext(prec=60):
        return sum(values, Decimal(0))


def _number(value: object) -> Decimal | None:
    return None if value is None else Decimal(value)  # type: ignore[arg-type]


def _difference(whole: Counter[tuple[object, ...]], parts: Counter[tuple[object, ...]]) -> str | None:
    if whole == parts:
        return None
    return f"only on the left {dict(whole - parts)}, only on the right {dict(parts - whole)}"
