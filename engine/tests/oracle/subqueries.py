"""Random subqueries: in EXISTS and IN, as values, and as the rows of a group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .predicates import Sight
from .query import (
    Aggregate,
    And,
    Col,
    Compare,
    Exists,
    Expr,
    InSelect,
    Item,
    Or,
    Order,
    Row,
    ScalarSelect,
    Select,
    Source,
    Stop,
)
from .schema import Table
from .sources import SourceGenerator, conjunction


class SubqueryGenerator(SourceGenerator):
    """Draws what asks a table about the rows of others in sight."""

    def aggregate(self, sights: Sequence[Sight]) -> Aggregate:
        rng = self.rng
        if rng.random() < 0.3:
            return Aggregate("COUNT", None, filter=self.filter(rng.choice(sights)))
        sight = rng.choice(sights)
        column = rng.choice(sight.table.columns)
        reference = Col(sight.alias, column.name)
        if column.type.is_number and rng.random() < 0.6:
            return Aggregate(
                rng.choice(("SUM", "AVG", "MIN", "MAX")),
                reference,
                rng.random() < 0.15,
                column.type,
                self.filter(sight),
            )
        functions = ("COUNT", "MIN", "MAX")
        if not self.is_basic and (column.type.kind in ("INT", "BIGINT") or column.type.is_text):
            functions = (*functions, "ARRAY_AGG")
        return Aggregate(rng.choice(functions), reference, rng.random() < 0.2, filter=self.filter(sight))

    def filter(self, sight: Sight) -> Expr | None:
        """Return the condition of a FILTER, or rather none."""
        return self.extra([sight], depth=2) if not self.is_basic and self.rng.random() < 0.2 else None

    def referring(self, one: Table) -> list[tuple[Table, tuple[str, ...], tuple[str, ...]]]:
        """Return the tables that refer to one, or that it refers to, each with the columns of both that are equal."""
        candidates = [
            (table, foreign.referenced, foreign.columns)
            for table in self.schema.tables
            for foreign in table.foreign_keys
            if foreign.table == one.name
        ]
        return candidates + [(self.schema.table(key.table), key.columns, key.referenced) for key in one.foreign_keys]

    def subquery(self, sights: Sequence[Sight]) -> Expr:
        """Return an EXISTS or IN (SELECT …) on a table that one in sight is joined to by a foreign key."""
        rng = self.rng
        base = rng.choice(sights)
        pairs = self.referring(base.table)
        if not pairs:
            pairs = [(base.table, base.table.primary_key, base.table.primary_key)]
        table, ours, theirs = rng.choice(pairs)
        sight = self.sight_of(table)
        inner: list[Expr] = self.access(sight)[0] if rng.random() < 0.5 else []
        negated = rng.random() < 0.3
        if rng.random() < 0.5:
            inner += [Compare("=", Col(sight.alias, b), Col(base.alias, a)) for a, b in zip(ours, theirs, strict=True)]
            items = (Item(Col(sight.alias, theirs[0]), theirs[0]),)
            sources, inside = [Source("from", table.name, sight.alias)], [sight]
            for _ in range(rng.choice((0, 0, 1, 2))):
                self.join(sources, inside, inner)
            return Exists(Select(items, tuple(sources), conjunction(inner)), negated)
        inner = inner or self.access(sight)[0]
        if rng.random() < 0.25:  # another test of the query outside, which may be unknown
            inner.append(self.column_comparison([sight, base]))
        if rng.random() < 0.3:
            pairs_of_columns = list(zip(ours, theirs, strict=True))
            own_column, other_column = rng.choice(base.table.columns), rng.choice(table.columns)
            if own_column.type.kind == other_column.type.kind:
                pairs_of_columns.append((own_column.name, other_column.name))
            if len(pairs_of_columns) > 1 and len({b for _, b in pairs_of_columns}) == len(pairs_of_columns):
                chosen = tuple(Item(Col(sight.alias, b), b) for _, b in pairs_of_columns)
                row = Row(tuple(Col(base.alias, a) for a, _ in pairs_of_columns))
                source = (Source("from", table.name, sight.alias),)
                return InSelect(row, Select(chosen, source, conjunction(inner)), negated)
        number = rng.randrange(len(ours))
        items = (Item(Col(sight.alias, theirs[number]), theirs[number]),)
        query = Select(items, (Source("from", table.name, sight.alias),), conjunction(inner))
        if rng.random() < 0.4:
            key = tuple(Order(Col(sight.alias, name), True) for name in table.primary_key)
            query = replace(query, order=key, stop=Stop("LIMIT", rng.choice((1, 3, 10))))
        return InSelect(Col(base.alias, ours[number]), query, negated)

    def either_way(self, root: Sight, conditions: Sequence[Expr]) -> list[Expr]:
        """Return an OR of what finds the rows of a table and a subquery that finds others: mine, and my friends'."""
        condition = conjunction(conditions)
        branches = [self.subquery([root]), *([] if condition is None else [condition])]
        if self.rng.random() < 0.3:
            branches.append(self.subquery([root]))
        return [Or(tuple(branches))] if len(branches) > 1 else branches

    def membership_of_a_key(self, key: Col, sights: Sequence[Sight]) -> Expr:
        """Return an IN (SELECT …) on a column that rows are grouped by."""
        table = next(sight.table for sight in sights if sight.alias == key.alias)
        sight = self.sight_of(table)
        items = (Item(Col(sight.alias, key.name), key.name),)
        where = conjunction(self.fixed(sight, table.primary_key))
        return InSelect(key, Select(items, (Source("from", table.name, sight.alias),), where), self.rng.random() < 0.3)

    def summary_of_key(self, key: Col, sights: Sequence[Sight]) -> Expr:
        """Return how many rows, or which of their numbers, a value that rows are grouped by finds in a table."""
        rng = self.rng
        table = next(sight.table for sight in sights if sight.alias == key.alias)
        referring = [
            (other_table, theirs[0]) for other_table, ours, theirs in self.referring(table) if ours == (key.name,)
        ]
        referring += [(table, key.name)] * (2 if any(limit.columns == (key.name,) for limit in table.all_limits) else 0)
        other_table, column = rng.choice(referring or [(table, key.name)])
        sight = self.sight_of(other_table)
        conditions: list[Expr] = [Compare("=", Col(sight.alias, column), key)]
        if rng.random() < 0.3:
            conditions.append(self.extra([sight]))
        numbers = [number for number in other_table.columns if number.type.kind in ("INT", "BIGINT")]
        asked = Aggregate("COUNT", None)
        if numbers and rng.random() < 0.4:
            number = rng.choice(numbers)
            function = rng.choice(("MIN", "MAX", "SUM", "COUNT"))
            asked = Aggregate(function, Col(sight.alias, number.name), type=number.type)
        source = (Source("from", other_table.name, sight.alias),)
        return ScalarSelect(Select((Item(asked, "of_key"),), source, conjunction(conditions)))

    def scalar(self, sights: Sequence[Sight]) -> tuple[Expr, Sight, str]:
        """Return a subquery of one row, looked up along a foreign key or standing alone, and the column it gives."""
        rng = self.rng
        edges = [(base, foreign) for base in sights for foreign in base.table.foreign_keys]
        conditions: list[Expr]
        if edges and rng.random() < 0.7:
            base, foreign = rng.choice(edges)
            sight = self.sight_of(self.schema.table(foreign.table))
            pairs = zip(foreign.columns, foreign.referenced, strict=True)
            conditions = [Compare("=", Col(sight.alias, theirs), Col(base.alias, ours)) for ours, theirs in pairs]
            if rng.random() < 0.2:
                conditions.append(self.extra([sight]))
        else:
            sight = self.sight_of(rng.choice(self.schema.tables))
            conditions = [self.equality(sight, name) for name in sight.table.primary_key]
        column = rng.choice(sight.table.columns).name
        value: Expr = Col(sight.alias, column)
        if rng.random() < 0.2:
            value = Aggregate(rng.choice(("MIN", "MAX")), value)
        sources = (Source("from", sight.table.name, sight.alias),)
        return ScalarSelect(Select((Item(value, column),), sources, conjunction(conditions))), sight, column

    def summary(self, sights: Sequence[Sight]) -> Expr:
        """Return an aggregate over, or the first of, the rows of a table that refer to a row in sight."""
        rng = self.rng
        sight, sources, conditions = self.matches(sights)
        table = sight.table
        if rng.random() < 0.3:
            column, direction = Col(sight.alias, rng.choice(table.columns).name), rng.random() < 0.5
            keys = [Col(sight.alias, name) for name in table.primary_key]
            if rng.random() < 0.5:
                keys.insert(0, Col(sight.alias, rng.choice(table.columns).name))
            order = tuple(Order(key, direction) for key in dict.fromkeys(keys))
            first = Select((Item(column, "of_first"),), tuple(sources), conjunction(conditions), order=order)
            return ScalarSelect(replace(first, stop=Stop("LIMIT", 1)))
        joined = [sight]
        if not self.is_basic and rng.random() < 0.25:
            self.join(sources, joined, conditions)
        item = Item(self.aggregate(joined), "of_all")
        return ScalarSelect(Select((item,), tuple(sources), conjunction(conditions)))

    def count_of_matches(self, sights: Sequence[Sight]) -> Expr:
        """Return how many rows of a table refer to a row in sight."""
        sight, sources, conditions = self.matches(sights)
        if self.rng.random() < 0.25:
            self.join(sources, [sight], conditions)
        item = Item(Aggregate("COUNT", None), "of_all")
        return ScalarSelect(Select((item,), tuple(sources), conjunction(conditions)))

    def first_of_group(self, sights: Sequence[Sight]) -> Expr:
        """Ask for the newest or oldest row of each group, where the rows of a table are grouped as they are joined."""
        rng = self.rng
        base = rng.choice(sights)
        table, sight = base.table, self.sight_of(base.table)
        groups = [foreign.columns for foreign in table.foreign_keys]
        groups += [table.primary_key[:-1]] * 3 if len(table.primary_key) > 1 else []
        group = rng.choice(groups or [table.primary_key])
        value = next((name for name in reversed(table.primary_key) if name not in group), table.primary_key[-1])
        conditions: list[Expr] = [Compare("=", Col(sight.alias, name), Col(base.alias, name)) for name in group]
        if rng.random() < 0.2:
            conditions.append(self.extra([sight]))
        sources = (Source("from", table.name, sight.alias),)
        column = Col(sight.alias, value)
        if rng.random() < 0.25:
            conditions.append(Compare(rng.choice((">", "<")), column, Col(base.alias, value)))
            return Exists(Select((Item(column, value),), sources, conjunction(conditions)), is_negated=True)
        if rng.random() < 0.6:
            item = Item(Aggregate(rng.choice(("MIN", "MAX")), column), value)
            newest = Select((item,), sources, conjunction(conditions))
        else:
            keys = [rng.choice(table.columns).name] if rng.random() < 0.5 else []
            order = tuple(
                Order(Col(sight.alias, column), rng.random() < 0.5) for column in dict.fromkeys((*keys, value))
            )
            newest = Select((Item(column, value),), sources, conjunction(conditions), order=order)
            last_keys = tuple(Order(Col(sight.alias, column), order[-1].is_ascending) for column in table.primary_key)
            last_keys = tuple(
                key_order for key_order in last_keys if all(key_order.expression != one.expression for one in order)
            )
            newest = replace(newest, order=(*order, *last_keys), stop=Stop("LIMIT", 1))
        return Compare("=", Col(base.alias, value), ScalarSelect(newest))

    def ask_in_on(self, sources: list[Source], sights: Sequence[Sight]) -> None:
        """Put a test with a subquery into the ON of one of the left joins."""
        places = [position for position, source in enumerate(sources) if source.kind == "left"]
        if not places:
            return
        position = self.rng.choice(places)
        joined = sights[: position + 1]
        test = self.subquery(joined[:-1]) if self.rng.random() < 0.5 else self.first_of_group(joined[-1:])
        on = sources[position].on
        sources[position] = replace(sources[position], on=test if on is None else And((on, test)))

    def matches(self, sights: Sequence[Sight]) -> tuple[Sight, list[Source], list[Expr]]:
        """Return a table that refers to a row in sight, or shares what is limited, and the equalities that say so."""
        rng = self.rng
        base = rng.choice(sights)
        referring = self.referring(base.table)
        referring += [
            (base.table, limit.columns, limit.columns) for limit in base.table.all_limits if not limit.is_token
        ]
        table, ours, theirs = rng.choice(referring or [(base.table, base.table.primary_key, base.table.primary_key)])
        sight = self.sight_of(table)
        conditions: list[Expr] = [
            Compare("=", Col(sight.alias, theirs_column), Col(base.alias, ours_column))
            for ours_column, theirs_column in zip(ours, theirs, strict=True)
        ]
        if rng.random() < 0.3:
            conditions.append(self.extra([sight]))
        return sight, [Source("from", table.name, sight.alias)], conditions
