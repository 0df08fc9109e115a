"""Random relations of a FROM: how the first one is reached, and how others are joined to it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import chain, count

from .contents import Contents
from .predicates import PredicateGenerator, Sight
from .query import And, Col, Compare, Expr, IsNull, Or, Source, Token
from .schema import Schema, Table
from .schema_generator import Pools

ALIASES = ("t", "s", "u", "v", "w", "x", "y", "z")


class SourceGenerator(PredicateGenerator):
    """Makes the relations of one query, each with an alias of its own."""

    def __init__(self, rng: random.Random, schema: Schema, pools: Pools, contents: Contents, is_basic: bool) -> None:
        super().__init__(rng, schema, pools, contents, is_basic)
        self.aliases = chain(ALIASES, (f"t{number}" for number in count(2)))
        self.taken: set[str] = set()

    def alias(self, table: Table) -> str:
        if self.rng.random() < 0.25 and table.name not in self.taken:
            self.taken.add(table.name)
            return table.name
        while True:
            alias = next(self.aliases)
            if alias not in self.taken:
                self.taken.add(alias)
                return alias

    def sight_of(self, table: Table, is_optional: bool = False) -> Sight:
        return self.sight(self.alias(table), table, is_optional)

    def access(self, root: Sight) -> tuple[list[Expr], bool]:
        """Return predicates that reach the first table, and whether only a LIMIT bounds what they find."""
        rng, table = self.rng, root.table
        limits = [limit.columns for limit in table.all_limits if not limit.is_token] + list(table.uniques)
        tokens = [limit.columns for limit in table.limits if limit.is_token]
        chance = rng.random()
        if tokens and not self.is_basic and chance < 0.4:
            return [self.any_token(root, rng.choice(tokens))], False
        if limits and chance < 0.45:
            return self.fixed(root, rng.choice(limits)), False
        if chance < 0.6:
            return self.fixed(root, table.primary_key), False
        if chance < 0.75 and len(table.primary_key) > 1:
            return self.fixed(root, table.primary_key[: rng.randint(1, len(table.primary_key) - 1)]), True
        if chance > 0.95 and not self.is_basic:
            return [Or((self.fixed_somehow(root), self.fixed_somehow(root)))], True
        if chance < 0.9:
            chosen = rng.sample(table.columns, min(len(table.columns), rng.choice((1, 1, 2))))
            return self.fixed(root, tuple(column.name for column in chosen)), True
        return [], True

    def fixed_somehow(self, sight: Sight) -> Expr:
        chosen = self.rng.sample(sight.table.columns, min(len(sight.table.columns), self.rng.choice((1, 2))))
        fixed = self.fixed(sight, tuple(column.name for column in chosen))
        return fixed[0] if len(fixed) == 1 else And(tuple(fixed))

    def any_token(self, root: Sight, columns: Sequence[str]) -> Expr:
        first = self.token(root, columns[0])
        further = [Token(Col(root.alias, name), first.word, first.keyword) for name in columns[1:]]
        return Or((first, *further)) if further else first

    def fixed(self, sight: Sight, columns: Sequence[str]) -> list[Expr]:
        """Return an equality for each column; where all constructs are allowed, sometimes an IN list or OR."""
        tests: list[Expr] = []
        for name in columns:
            chance = self.rng.random()
            if self.is_basic or chance > 0.2:
                tests.append(self.equality(sight, name))
            elif chance < 0.05 and sight.table.column(name).is_nullable:
                tests.append(IsNull(Col(sight.alias, name), False))
            elif chance > 0.08:
                tests.append(self.membership(sight, name))
            else:
                tests.append(Or((self.equality(sight, name), self.equality(sight, name))))
        return tests

    def join(self, sources: list[Source], sights: list[Sight], conditions: list[Expr]) -> bool:
        """Add a table along a foreign key (either way), or by columns of one type; say whether that needs a LIMIT."""
        rng = self.rng
        base = rng.choice(sights) if rng.random() < 0.4 else sights[-1]
        edges: list[tuple[Table, tuple[str, ...], tuple[str, ...], bool]] = []
        for foreign in base.table.foreign_keys:
            edges += [(self.schema.table(foreign.table), foreign.columns, foreign.referenced, False)] * 3
        for table in self.schema.tables:
            for foreign in table.foreign_keys:
                if foreign.table == base.table.name:
                    limited = {frozenset(limit.columns) for limit in table.all_limits if not limit.is_token}
                    is_free = not any(limit_columns <= frozenset(foreign.columns) for limit_columns in limited)
                    edges.append((table, foreign.referenced, foreign.columns, is_free))
        if not edges or rng.random() < 0.1:
            table = rng.choice(self.schema.tables)
            own_column = rng.choice(base.table.columns)
            candidates = [column.name for column in table.columns if column.type.kind == own_column.type.kind]
            if not candidates:
                return False
            edges = [(table, (own_column.name,), (rng.choice(candidates),), True)]
        table, ours, theirs, is_free = rng.choice(edges)
        kind = "left" if not self.is_basic and rng.random() < 0.2 else "inner"
        sight = self.sight_of(table, is_optional=kind == "left")
        equalities: list[Expr] = []
        for mine, theirs_column in zip(ours, theirs, strict=True):
            sides = Col(base.alias, mine), Col(sight.alias, theirs_column)
            equalities.append(Compare("=", *(sides if rng.random() < 0.5 else sides[::-1])))
        if rng.random() < 0.15:
            equalities.append(
                self.extra([sight]) if kind == "inner" or rng.random() < 0.6 else self.extra([*sights, sight])
            )
        sights.append(sight)
        if kind == "inner" and rng.random() < 0.15 and all(source.kind != "left" for source in sources):
            sources.append(Source("comma", table.name, sight.alias))
            conditions += equalities
        else:
            sources.append(Source(kind, table.name, sight.alias, conjunction(equalities)))  # type: ignore[arg-type]
        return is_free


def conjunction(conditions: Sequence[Expr]) -> Expr | None:
    if not conditions:
        return None
    return conditions[0] if len(conditions) == 1 else And(tuple(conditions))
