"""Random SELECTs and UNIONs, drawn so that about half of them have a bound."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from .contents import Contents
from .further import with_more
from .newer import with_newer
from .piql_text import NAMED_STYLES, NUMBERED, SPELLINGS, named_in_text, style_of
from .predicates import Sight
from .query import (
    WALK,
    Aggregate,
    And,
    Col,
    Compare,
    Const,
    Expr,
    In,
    Item,
    Or,
    Order,
    Query,
    Recursive,
    Select,
    Source,
    Stop,
    Union,
    parameters_of,
)
from .schema import Column, Schema, Table
from .schema_generator import Pools
from .sources import conjunction
from .subqueries import SubqueryGenerator
from .values import INT


@dataclass(frozen=True, slots=True)
class QueryCase:
    """A query, what its parameters are in each execution, and how it is spelled."""

    name: str
    query: Query
    samples: tuple[dict[str, object], ...]
    style: int = 0

    def given(self, sample: Mapping[str, object]) -> dict[str, object]:
        """Return the values of one execution under the names that the text gives the parameters."""
        names = named_in_text(self.query, self.style)
        return {names.get(name, name): value for name, value in sample.items()}


def random_read(rng: random.Random, schema: Schema, pools: Pools, contents: Contents, name: str) -> QueryCase:
    """Return a SELECT or UNION; about every second is of the plain kind."""
    maker = _Maker(rng, schema, pools, contents, is_basic=rng.random() < 0.5)
    chance = 1 if maker.is_basic else rng.random()
    query: Select | Union = maker.union() if chance < 0.07 else maker.fetch() if chance < 0.17 else maker.select()
    style = style_of(name, rng.randrange(NUMBERED))
    state = rng.getstate()
    if rng.random() < 0.06:
        walker = _Maker(rng, schema, pools, contents, is_basic=False)
        walk = walker.over_recursive()
        if walk is not None:
            maker, query = walker, walk
    query = with_more(maker, query)
    style += NAMED_STYLES * rng.randrange(SPELLINGS)
    query = with_newer(maker, query)
    rng.setstate(state)  # what follows is drawn as though nothing were added
    used = parameters_of(query)
    samples = ({name: sample[name] for name in sample if name in used} for sample in maker.parameters.samples)
    return QueryCase(name, query, tuple(samples), style)


class _Maker(SubqueryGenerator):
    # SELECT

    def select(self) -> Select:
        rng = self.rng
        if not self.is_basic and rng.random() < 0.06:
            return self.over_derived() if rng.random() < 0.7 else self.over_groups()
        if not self.is_basic and rng.random() < 0.04:
            return self.first_of_values()
        root = self.sight_of(rng.choice(self.schema.tables))
        conditions, needs_stop = self.access(root)
        sources, sights = [Source("from", root.table.name, root.alias)], [root]
        if not self.is_basic and rng.random() < 0.1:
            sources, sights, conditions, needs_stop = self.from_derived()
        for _ in range(rng.choice((0, 0, 0, 1, 1, 1, 2, 3))):
            needs_stop |= self.join(sources, sights, conditions)
        if not self.is_basic and rng.random() < 0.2:
            self.ask_in_on(sources, sights)
        if rng.random() < 0.35:
            conditions += [self.extra(sights) for _ in range(rng.choice((1, 1, 2)))]
        if not self.is_basic and rng.random() < 0.1:
            conditions.append(self.subquery(sights))
        if not self.is_basic and rng.random() < 0.06:
            conditions.append(Or((self.extra(sights), self.subquery(sights))))
        if not self.is_basic and sights == [root] and rng.random() < 0.08:
            conditions, needs_stop = self.either_way(root, conditions), True
        if not self.is_basic and rng.random() < 0.08:
            several = [sight for sight in sights if len(sight.table.columns) > 1]
            conditions += [self.rows_compared(rng.choice(several))] if several else []
        if not self.is_basic and rng.random() < 0.06:
            value, sight, column = self.scalar(sights)
            conditions.append(Compare(rng.choice(("=", "<", ">=", "<>")), value, self.operand(sight, column)))
        if not self.is_basic and rng.random() < 0.05:
            count_of = Const(rng.choice((0, 1, 1, 2)), INT)
            conditions.append(Compare(rng.choice(("=", "<", ">=", ">")), self.count_of_matches(sights), count_of))
        if not self.is_basic and len(sights) > 1 and rng.random() < 0.1:
            conditions.append(self.first_of_group(sights[1:]))
        rng.shuffle(conditions)
        select = Select((), tuple(sources), conjunction(conditions))
        if rng.random() < (0.05 if self.is_basic or needs_stop else 0.3):
            return self.grouped(select, sights)
        select = replace(select, items=self.items(sights))
        if len(sights) == 1 and rng.random() < 0.05:
            only = sights[0]
            items = tuple(Item(Col(only.alias, column.name), column.name) for column in only.table.columns)
            select = replace(select, items=items, is_star=isinstance(sources[0].relation, str))
        if not self.is_basic and rng.random() < 0.08:
            select = replace(select, is_distinct=True)
        select = replace(select, order=self.order(sights, select))
        if rng.random() < (0.95 if needs_stop else 0.4):
            select = replace(select, stop=self.stop())
        return select

    def fetch(self) -> Select:
        """Return all of a table's columns, found along foreign keys from the last of a path of tables."""
        rng = self.rng
        first = self.sight_of(rng.choice(self.schema.tables))
        sources, sights, by = [Source("from", first.table.name, first.alias)], [first], list[str]()
        needs_stop = False
        for _ in range(rng.choice((1, 1, 2, 3))):
            last = sights[-1].table
            edges = [(self.schema.table(key.table), key, True) for key in last.foreign_keys]
            edges += [(table, key, False) for table in self.schema.tables for key in table.foreign_keys
                      if key.table == last.name]  # fmt: skip
            names = Counter((table.name, key.columns[0]) for table, key, _ in edges)
            edges = [edge for edge in edges if names[edge[0].name, edge[1].columns[0]] == 1]
            if not edges:
                break
            table, key, is_ours = rng.choice(edges)
            sight = self.sight_of(table)
            ours, theirs = (key.columns, key.referenced) if is_ours else (key.referenced, key.columns)
            pairs = zip(ours, theirs, strict=True)
            equal = [Compare("=", Col(sights[-1].alias, mine), Col(sight.alias, theirs)) for mine, theirs in pairs]
            sources.append(Source("inner", table.name, sight.alias, conjunction(equal)))
            sights.append(sight)
            by.append(key.columns[0])
        conditions, needs_stop = self.access(sights[-1])
        if rng.random() < 0.25:
            conditions.append(self.extra(sights))
        items = tuple(Item(Col(first.alias, column.name), column.name) for column in first.table.columns)
        select = Select(items, tuple(sources), conjunction(conditions), by=tuple(by))
        select = replace(select, order=self.order(sights, replace(select, items=items)) if rng.random() < 0.7 else ())
        return replace(select, stop=self.stop() if needs_stop or rng.random() < 0.6 else None)

    def items(self, sights: Sequence[Sight]) -> tuple[Item, ...]:
        rng = self.rng
        items: list[Item] = []
        names: set[str] = set()
        for sight in sights:
            columns = rng.sample(sight.table.columns, rng.randint(0 if items else 1, len(sight.table.columns)))
            for column in columns:
                name = column.name if column.name not in names else f"{sight.alias}_{column.name}"
                if name not in names:
                    items.append(Item(Col(sight.alias, column.name), name))
                    names.add(name)
        if not self.is_basic and rng.random() < 0.2:
            items.append(Item(self.computation(rng.choice(sights))[0], "computed"))
        if not self.is_basic and rng.random() < 0.06:
            items.append(Item(self.subquery(sights), "flag"))
        if not self.is_basic and rng.random() < 0.08:
            items.append(Item(self.scalar(sights)[0], "looked_up"))
        if not self.is_basic and rng.random() < 0.08:
            items += [Item(self.summary(sights), f"summary_{number}") for number in range(rng.choice((1, 1, 2)))]
        return tuple(items)

    def order(self, sights: Sequence[Sight], select: Select) -> tuple[Order, ...]:
        rng = self.rng
        if rng.random() < 0.3:
            return ()
        direction = rng.random() < 0.6
        orders: list[Order] = []
        for _ in range(rng.choice((1, 1, 1, 2, 2, 3))):
            if select.is_distinct or rng.random() < 0.1:
                item = rng.choice(select.items)
                expression: Expr = item.expression if rng.random() < 0.5 else Col("", item.name)
            else:
                sight = sights[0] if rng.random() < 0.5 else rng.choice(sights)
                key = sight.table.primary_key
                name = rng.choice(key) if rng.random() < 0.4 else rng.choice(sight.table.columns).name
                expression = Col(sight.alias, name)
                if not self.is_basic and rng.random() < 0.05:
                    expression = self.computation(sight)[0]
            if all(order.expression != expression for order in orders):
                position = None
                places = [number for number, item in enumerate(select.items, 1) if item.expression == expression]
                if places and rng.random() < 0.1:
                    position = places[0]
                orders.append(Order(expression, direction if rng.random() < 0.8 else not direction, position))
        return tuple(orders)

    def stop(self) -> Stop:
        rng = self.rng
        count = rng.choice((1, 2, 3, 5, 10, 20))
        chance = rng.random()
        if chance < 0.3:
            return Stop("PAGINATE", count)
        if chance < 0.65:
            return Stop("LIMIT", count if rng.random() < 0.97 else 0)
        counts = [count, rng.randint(0, count), rng.randint(0, count)]
        return Stop("LIMIT", count, self.parameters.new(counts[: self.parameters.executions]))

    # Groups, derived tables, unions

    def grouped(self, select: Select, sights: Sequence[Sight]) -> Select:
        rng = self.rng
        keys: list[Col] = []
        for _ in range(rng.choice((0, 1, 1, 2))):
            sight = rng.choice(sights)
            key = Col(sight.alias, rng.choice(sight.table.columns).name)
            if key not in keys:
                keys.append(key)
        items = [Item(key, f"k{number}") for number, key in enumerate(keys)]
        for number in range(rng.choice((1, 1, 2, 3))):
            items.append(Item(self.aggregate(sights), f"g{number}"))
        having: Expr | None = None
        if rng.random() < 0.25:
            having = Compare(rng.choice((">", "<=", "=")), Aggregate("COUNT", None), Const(rng.randint(0, 3), INT))
        if keys and not self.is_basic and rng.random() < 0.08:
            test = self.membership_of_a_key(rng.choice(keys), sights)
            having = test if having is None else Or((having, test))
        if keys and not self.is_basic and rng.random() < 0.1:  # summed
            summary = self.summary_of_key(rng.choice(keys), sights)
            if rng.random() < 0.7:
                test = Compare(rng.choice((">", "<=", "=", "<>")), Aggregate("COUNT", None), summary)
                having = test if having is None else Or((having, test))
            else:
                items.append(Item(summary, "summary"))
        if keys and not self.is_basic and rng.random() < 0.1:
            key = rng.choice(keys)
            of_key = self.equality(next(sight for sight in sights if sight.alias == key.alias), key.name)
            having = of_key if having is None else And((having, of_key))
        orders: list[Order] = []
        if keys and rng.random() < 0.5:
            item = rng.choice(items)
            if "AVG" not in str(item) and "SUM" not in str(item):
                by_name = Col("", item.name)
                orders.append(Order(item.expression if rng.random() < 0.5 else by_name, rng.random() < 0.6))
        stop = self.stop() if rng.random() < 0.15 else None
        return replace(select, items=tuple(items), group=tuple(keys), having=having, order=tuple(orders), stop=stop)

    def first_of_values(self) -> Select:
        """Ask for the newest or oldest of what each value of a list finds: its value, or its row."""
        rng = self.rng
        sight = self.sight_of(rng.choice(self.schema.tables))
        table = sight.table
        keys = [table.primary_key[:-1]] * 3 if len(table.primary_key) > 1 else [(table.primary_key[0],)]
        group = rng.choice([*keys, *(foreign.columns for foreign in table.foreign_keys)])
        listed = rng.choice(group)
        conditions: list[Expr] = [self.equality(sight, name) for name in group if name != listed]
        condition = self.membership(sight, listed)
        conditions.append(replace(condition, is_negated=False) if isinstance(condition, In) else condition)
        if rng.random() < 0.3:
            conditions.append(self.extra([sight]))
        sources = (Source("from", table.name, sight.alias),)
        if rng.random() < 0.5:
            conditions.append(self.first_of_group([sight]))
            select = Select(self.items([sight]), sources, conjunction(conditions))
            return replace(select, order=self.order([sight], select), stop=self.stop() if rng.random() < 0.3 else None)
        items = [Item(Col(sight.alias, name), f"k{number}") for number, name in enumerate(group)]
        names = tuple(Col(sight.alias, name) for name in group)
        order = (Order(Col("", "g0"), rng.random() < 0.6),) if rng.random() < 0.3 else ()
        items.append(Item(self.extreme(sight, group), "g0"))
        return Select(tuple(items), sources, conjunction(conditions), group=names, order=order)

    def derived(self) -> tuple[Select, Sight]:
        """Return a derived table, its own order total so that its LIMIT has one meaning, and how it is seen outside."""
        rng = self.rng
        inner_sight = self.sight_of(rng.choice(self.schema.tables))
        conditions, needs_stop = self.access(inner_sight)
        table = inner_sight.table
        items = tuple(Item(Col(inner_sight.alias, column.name), column.name) for column in table.columns)
        inner = Select(items, (Source("from", table.name, inner_sight.alias),), conjunction(conditions))
        if needs_stop or rng.random() < 0.3:
            key = [Order(Col(inner_sight.alias, name), True) for name in table.primary_key]
            if rng.random() < 0.5:
                key.insert(0, Order(Col(inner_sight.alias, rng.choice(table.columns).name), True))
            inner = replace(inner, order=tuple(key), stop=Stop("LIMIT", rng.choice((1, 3, 10))))
        return inner, replace(inner_sight, alias="d")

    def from_derived(self) -> tuple[list[Source], list[Sight], list[Expr], bool]:
        """Begin FROM with a derived table."""
        inner, sight = self.derived()
        return [Source("from", inner, "d")], [sight], [], False

    def over_recursive(self) -> Select | None:
        """Return a query over a recursive one; None where there is none to be made."""
        rng = self.rng
        walk = self.recursive()
        if walk is None:
            return None
        sources, sights, conditions = [Source("from", walk[0], "d")], [walk[1]], list[Expr]()
        if rng.random() < 0.3:
            self.join(sources, sights, conditions)
        if rng.random() < 0.3:
            conditions.append(self.extra(sights))
        select = Select((), tuple(sources), conjunction(conditions))
        if rng.random() < 0.2:
            return self.grouped(select, sights)
        select = replace(select, items=self.items(sights))
        select = replace(select, order=self.order(sights, select))
        return replace(select, stop=self.stop()) if rng.random() < 0.4 else select

    def recursive(self) -> tuple[Recursive, Sight] | None:
        """Return the rows that are reached from some rows of a table, level by level; None where it has no limit.

        A step goes from a column to the limited one: to a child, to a friend, or round and round in one group.
        """
        rng = self.rng
        table = rng.choice(self.schema.tables)
        groups = [limit.columns for limit in table.all_limits if not limit.is_token]
        groups += [*table.uniques, table.primary_key]
        limited = [names[0] for names in groups if len(names) == 1]
        if not limited:
            return None
        reached = rng.choice(limited)
        alike = [column.name for column in table.columns if column.type.kind == table.column(reached).type.kind]
        values = self.pools.values
        near = [name for name in alike if values[table.name, name] is values[table.name, reached]]
        leading = rng.choice(near if rng.random() < 0.7 else alike)
        first, found, before = self.sight_of(table), self.sight_of(table), self.sight_of(table)
        anchor = self.all_columns(
            first, [Source("from", table.name, first.alias)], self.fixed(first, rng.choice(groups))
        )
        sides = Col(found.alias, reached), Col(before.alias, leading)
        on = Compare("=", *(sides if rng.random() < 0.5 else sides[::-1]))
        sources, sights = [Source("from", WALK, before.alias), Source("inner", table.name, found.alias, on)], [found]
        if rng.random() < 0.5:
            sources = [Source("from", table.name, found.alias), Source("inner", WALK, before.alias, on)]
        conditions: list[Expr] = []
        if rng.random() < 0.15:
            self.join(sources, sights, conditions)
        if rng.random() < 0.35:
            conditions.append(self.extra([found, before]))
        if rng.random() < 0.1:
            conditions.append(self.subquery([found]))
        step = self.all_columns(found, sources, conditions)
        return Recursive(anchor, step, rng.random() < 0.5, rng.choice((1, 2, 2, 3))), replace(first, alias="d")

    def all_columns(self, sight: Sight, sources: list[Source], conditions: list[Expr]) -> Select:
        items = tuple(Item(Col(sight.alias, column.name), column.name) for column in sight.table.columns)
        return Select(items, tuple(sources), conjunction(conditions))

    def over_derived(self) -> Select:
        """Return a query over a derived table alone."""
        rng = self.rng
        inner, sight = self.derived()
        select = Select((), (Source("from", inner, "d"),), self.extra([sight]) if rng.random() < 0.5 else None)
        if rng.random() < 0.4:
            return self.grouped(select, [sight])
        select = replace(select, items=self.items([sight]))
        return replace(select, order=self.order([sight], select), stop=self.stop() if rng.random() < 0.2 else None)

    def over_groups(self) -> Select:
        """Ask for some of the groups, or different values, that a derived table makes of all rows."""
        rng = self.rng
        sight = self.sight_of(rng.choice(self.schema.tables))
        table = sight.table
        limits = [limit.columns for limit in table.all_limits if not limit.is_token] + list(table.uniques)
        names = list(rng.choice((*limits, table.primary_key)))
        unnamed = [column.name for column in table.columns if column.name not in names]
        group = (*names, *rng.sample(unnamed, min(len(unnamed), rng.choice((0, 0, 1)))))
        items = tuple(Item(Col(sight.alias, name), name) for name in group)
        inner = Select(items, (Source("from", table.name, sight.alias),), None)
        if group and rng.random() < 0.5:
            inner = replace(inner, is_distinct=True)
        else:
            many = Item(self.aggregate([sight]) if rng.random() < 0.5 else self.extreme(sight, group), "many")
            inner = replace(inner, items=(*items, many), group=tuple(Col(sight.alias, name) for name in group))
        seen = replace(sight, alias="d")
        outside = tuple(Item(Col("d", item.name), item.name) for item in inner.items)
        if rng.random() < 0.4:
            return Select(outside, (Source("from", inner, "d"),), conjunction(self.fixed(seen, names)))
        base = self.sight_of(rng.choice([*(self.schema.table(key.table) for key in table.foreign_keys), table]))
        candidates = [
            pairs
            for key in table.foreign_keys
            if key.table == base.table.name and set(key.columns) <= set(group)
            for pairs in [list(zip(key.referenced, key.columns, strict=True))]
        ]
        pairs = (
            rng.choice(candidates) if candidates else [(name, name) for name in names if base.table.name == table.name]
        )
        on = [Compare("=", Col(base.alias, ours), Col("d", theirs)) for ours, theirs in pairs]
        sources = (
            Source("from", base.table.name, base.alias),
            Source("inner" if rng.random() < 0.7 or not on else "left", inner, "d", conjunction(on)),
        )
        conditions, _ = self.access(base)
        if rng.random() < 0.3 and names:  # a limit of the whole table names none
            conditions.append(self.inequality(seen, rng.choice(names)))
        own_key = Item(Col(base.alias, base.table.primary_key[0]), "of_base")
        return Select((own_key, *outside), sources, conjunction(conditions))

    def extreme(self, sight: Sight, group: Sequence[str]) -> Aggregate:
        """Return the largest or smallest value of a column that is not grouped by, if there is one."""
        free = [name for name in sight.table.primary_key if name not in group]
        name = self.rng.choice(free or [column.name for column in sight.table.columns])
        return Aggregate(self.rng.choice(("MIN", "MAX")), Col(sight.alias, name))

    def union(self) -> Union:
        """Return a union of selections from one table, or from several with columns of the same types."""
        rng = self.rng
        table = rng.choice(self.schema.tables)
        columns = rng.sample(table.columns, rng.randint(1, len(table.columns)))
        selects = []
        needs_stop = False
        for _ in range(rng.choice((2, 2, 3))):
            chosen, own_columns = table, columns
            if selects and rng.random() < 0.4:
                chosen, own_columns = self.alike(columns) or (table, columns)
            sight = self.sight_of(chosen)
            conditions, needs = self.access(sight)
            needs_stop |= needs
            sources, sights = [Source("from", chosen.name, sight.alias)], [sight]
            if rng.random() < 0.2:
                needs_stop |= self.join(sources, sights, conditions)
            pairs = zip(own_columns, columns, strict=True)
            items = tuple(Item(Col(sight.alias, column.name), named.name) for column, named in pairs)
            selects.append(Select(items, tuple(sources), conjunction(conditions)))
        orders = []
        if rng.random() < 0.6:
            orders = [Order(Col("", column.name), rng.random() < 0.7) for column in rng.sample(columns, 1)]
        stop = self.stop() if needs_stop or rng.random() < 0.2 else None
        return Union(tuple(selects), rng.random() < 0.5, tuple(orders), stop)

    def alike(self, columns: Sequence[Column]) -> tuple[Table, list[Column]] | None:
        """Return a table with columns of the same types, if one is found."""
        for table in self.rng.sample(self.schema.tables, len(self.schema.tables)):
            chosen: list[Column] = []
            for column in columns:
                same = [
                    candidate
                    for candidate in table.columns
                    if candidate.type == column.type and candidate not in chosen
                ]
                if not same:
                    break
                chosen.append(self.rng.choice(same))
            else:
                return table, chosen
        return None
