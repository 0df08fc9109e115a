"""Random tables, views that join them, and random writes: DuckDB says what the views must hold.

World(seed) ── tables r ◀─ p ◀─ f, and s beside f ──▶ texts
            └─ next_write ──▶ a query with its parameters, and the rows after it, if nothing refuses it

A view joins two to four of them: along foreign keys, to rows that share a limited group, or a table with itself. With
LEFT JOIN it names a row by its key, which a foreign key may promise or not.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import duckdb
import piql

from .world import Aggregate, Column, View, ordered

Row = Mapping[str, Any]
Rows = Mapping[str, Mapping[tuple[Any, ...], Row]]

_VALUES: Mapping[str, tuple[Any, ...]] = {
    "INT": (0, 1, -7, 12),
    "BIGINT": (0, 5, -5, 2**40),
    "DECIMAL(9, 3)": (Decimal("0.001"), Decimal("-0.001"), Decimal("9.999")),
    "VARCHAR(4)": ("a", "b", "ä", ""),
    "BOOLEAN": (False, True),
}
_FEW = 4
_EDGES = (
    (("f", "p"), ("p", "id")),
    (("p", "r"), ("r", "id")),
    (("f", "a"), ("f", "a")),
    (("f", "a"), ("s", "a")),
    (("f", "p"), ("f", "p")),
    (("p", "r"), ("p", "r")),
    (("s", "p"), ("p", "id")),
)
"""The columns by which a view may join two tables."""
_FOREIGN_KEYS = (_EDGES[0], _EDGES[1], _EDGES[6])
_LOOSE = ((("f", "a"), ("r", "id")), (("s", "a"), ("p", "id")), (("p", "id"), ("r", "id")), (("p", "r"), ("p", "id")))
"""Columns that may hold the key of a row that is not there: no foreign key says that it is."""
Pair = tuple[tuple[str, str], tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    references: Mapping[str, str]
    limits: tuple[tuple[str, int], ...]

    @property
    def declared(self) -> str:
        columns = [
            column.declared
            + (" NULL" if column.nullable else "")
            + (f" REFERENCES {self.references[column.name]}" if column.name in self.references else "")
            for column in self.columns
        ]
        limits = [f"CARDINALITY LIMIT {most} ({column})" for column, most in self.limits]
        return f"CREATE TABLE {self.name} ({', '.join((*columns, *limits))}, PRIMARY KEY ({', '.join(self.key)}));\n"

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    @property
    def changeable(self) -> list[Column]:
        return [column for column in self.columns if column.name not in self.key]


@dataclass(frozen=True, slots=True)
class Write:
    query: str
    parameters: Row
    table: str
    rows_after: Rows
    loaded: tuple[Row, ...] = ()


class World:
    """The tables, the views over them and the rows of one seed.

    With `by_steps`, stores without transactions keep the views: each other table is found by a foreign key.
    """

    def __init__(self, seed: int, *, by_steps: bool = False) -> None:
        self.chance = chance = random.Random(f"joined {seed}")
        self._by_steps = by_steps
        r = Table("r", (Column("id", "INT", False), *self._others()), ("id",), {}, ())
        p_limits = (("r", _FEW),) if chance.random() < 0.4 and not by_steps else ()
        p = Table(
            "p", (Column("id", "INT", False), self._reference("r"), *self._others()), ("id",), {"r": "r"}, p_limits
        )
        f_limits = [("a", _FEW)] if chance.random() < 0.7 else []
        f_limits += [("p", _FEW)] if chance.random() < 0.4 and not by_steps else []
        key = (Column("a", "INT", False), Column("b", "INT", False))
        f = Table("f", (*key, self._reference("p"), *self._others()), ("a", "b"), {"p": "p"}, tuple(f_limits))
        s_limits = (("a", _FEW),) if chance.random() < 0.7 else ()
        s = Table("s", (*key, self._reference("p"), *self._others()), ("a", "b"), {"p": "p"}, s_limits)
        self.tables = {table.name: table for table in (r, p, f, s)}
        self.fixed = 0
        self.views = [self._view(f"view{number}") for number in range(chance.randint(1, 2))]
        self.rows: Rows = {name: {} for name in self.tables}

    def _others(self) -> list[Column]:
        chance = self.chance
        return [
            Column(f"v{number}", chance.choice(tuple(_VALUES)), chance.random() < 0.4)
            for number in range(chance.randint(1, 3))
        ]

    def _reference(self, name: str) -> Column:
        return Column(name, "INT", self.chance.random() < 0.4)

    def _view(self, name: str) -> View:
        chance = self.chance
        while True:
            sources, pairs, optional = self._joins()
            keys = self._keys(sources, optional)
            if keys:
                break
        stand_ins = {
            key.name: _literal(chance.choice(_VALUES[key.type]))
            for key in keys
            if key.nullable and chance.random() < 0.5
        }
        tests = [f"{key.name} IS NOT NULL" for key in keys if key.nullable and key.name not in stand_ins]
        inner = (pair for pair in pairs if pair[1][0] not in optional)
        joined = {f"{alias}.{column}" for pair in inner for alias, column in pair}
        parts = [Aggregate("rows_there", "COUNT", None)]
        for alias, table in sources:
            for column in self.tables[table].changeable:
                whole = Column(f"{alias}.{column.name}", column.type, column.nullable or alias in optional)
                is_summed = column.type not in ("VARCHAR(4)", "BOOLEAN") and chance.random() < 0.4
                is_null = whole.nullable and whole.name not in joined and f"{whole.name} IS NOT NULL" not in tests
                if (is_summed and is_null) or chance.random() < 0.15:
                    parts.append(Aggregate(f"count_{alias}_{column.name}", "COUNT", whole))
                if is_summed:
                    parts.append(Aggregate(f"sum_{alias}_{column.name}", "SUM", whole))
        if chance.random() < 0.4:
            alias, table = chance.choice(sources)
            column = chance.choice(self.tables[table].columns)
            value = chance.choice(_VALUES[column.type])
            test = f"{alias}.{column.name} {chance.choice(('=', '<>', '<', '>='))} {_literal(value)}"
            if alias in optional and chance.random() < 0.7:
                test = f"{alias}.{column.name} IS NULL" if chance.random() < 0.3 else f"{_empty(alias)} OR {test}"
            tests.append(f"({test})")
        view = JoinedView(name, tuple(keys), tuple(parts), " AND ".join(tests), stand_ins)
        view.set_from(sources, pairs, optional)
        return self._bounded(view)

    def _joins(self) -> tuple[list[tuple[str, str]], list[Pair], set[str]]:
        """Draw the tables of a view with their aliases, and the equal columns that join each to one before it.

        The last are the aliases behind LEFT JOIN.
        """
        chance = self.chance
        sources = [("t0", chance.choice(("f", "p", "f", "s")))]
        pairs: list[Pair] = []
        optional: set[str] = set()
        for number in range(1, chance.choice((2, 2, 3, 3, 4))):
            is_left = chance.random() < 0.5
            inner = _FOREIGN_KEYS if self._by_steps else _EDGES
            edges = (_FOREIGN_KEYS if self._by_steps else (*_FOREIGN_KEYS, *_LOOSE)) if is_left else inner
            possible = [
                ((alias, here), there)
                for alias, table in sources
                if is_left or alias not in optional
                for edge in edges
                for (left, here), there in ((edge,) if self._by_steps or is_left else (edge, edge[::-1]))
                if left == table
            ]
            if not possible:
                break
            before, (table, column) = chance.choice(possible)
            alias = f"t{number}"
            sources.append((alias, table))
            pairs.append((before, (alias, column)))
            optional |= {alias} if is_left else set()
        return sources, pairs, optional

    def _keys(self, sources: list[tuple[str, str]], optional: set[str]) -> list[Column]:
        chance = self.chance
        columns = [
            Column(f"{alias}.{column.name}", column.type, column.nullable or alias in optional)
            for alias, table in sources
            for column in self.tables[table].columns
        ]
        return chance.sample(columns, min(len(columns), chance.randint(1, 3)))

    def _bounded(self, view: JoinedView) -> JoinedView:
        """Add the limits that the compiler says a view lacks, by its own fix, and put small numbers into them."""
        text = self.source + view.text
        compilation = piql.compile(text)
        errors = [finding for finding in compilation.diagnostics if finding.severity == "error"]
        if errors:
            (error,) = (finding for finding in errors if finding.code == "view-form")
            assert "nothing limits" in error.message, (text, error)
            (fix,) = error.fixes
            for edit in sorted(fix.edits, key=lambda edit: -edit.start):
                text = text[: edit.start] + edit.text + text[edit.end :]
            after = piql.compile(text)
            assert not [finding for finding in after.diagnostics if finding.severity == "error"], (
                text,
                after.diagnostics,
            )
            for name, table in self.tables.items():
                limits = tuple((limit.columns[0], _FEW) for limit in after.tables[name].limits)
                self.tables[name] = Table(name, table.columns, table.key, table.references, limits)
            self.fixed += 1
        return view

    @property
    def source(self) -> str:
        """The tables and their writes, without views."""
        return "".join(table.declared for table in self.tables.values()) + "".join(
            self._writes(table) for table in self.tables.values()
        )

    def _writes(self, table: Table) -> str:
        name, names = table.name, ", ".join(table.names)
        values = ", ".join(f"[{column}]" for column in table.names)
        key = " AND ".join(f"{column} = [{column}]" for column in table.key)
        changes = ", ".join(f"{column.name} = EXCLUDED.{column.name}" for column in table.changeable)
        every = f"INSERT INTO {name} ({names}) VALUES"
        text = (
            f"CREATE QUERY put_{name} AS {every} ({values});\n"
            f"CREATE QUERY new_{name} AS {every} ({values}) IF NOT EXISTS;\n"
            f"CREATE QUERY gain_{name} AS {every} ({values})\n"
            f"ON CONFLICT ({', '.join(table.key)}) DO UPDATE SET {changes};\n"
            f"CREATE QUERY many_{name} AS {every} [rows] MAX 3;\n"
            f"CREATE QUERY remove_{name} AS DELETE FROM {name} WHERE {key};\n"
        )
        for column in table.changeable:
            text += f"CREATE QUERY set_{name}_{column.name} AS UPDATE {name} SET {column.name} = [value] WHERE {key};\n"
        if ("a", _FEW) in table.limits:
            last = table.changeable[-1].name
            text += f"CREATE QUERY all_{name} AS UPDATE {name} SET {last} = [value] WHERE a = [a];\n"
            text += f"CREATE QUERY empty_{name} AS DELETE FROM {name} WHERE a = [a];\n"
        return text

    @property
    def views_source(self) -> str:
        return "".join(view.text for view in self.views)

    def _row(self, table: Table) -> dict[str, Any]:
        return {column.name: self._value(column) for column in table.columns}

    def _value(self, column: Column) -> Any:
        if column.nullable and self.chance.random() < 0.3:
            return None
        if column.name in ("id", "r", "p", "a", "b"):
            return self.chance.randrange(3)
        return self.chance.choice(_VALUES[column.type])

    def first_loads(self) -> list[Write]:
        """Return loads of rows that others name, so that few writes are refused for their foreign keys."""
        loads: list[Write] = []
        for name in "rp":
            table = self.tables[name]
            rows = {(number,): {**self._row(table), "id": number} for number in range(3)}
            before = loads[-1].rows_after if loads else self.rows
            loads.append(Write("", {}, name, {**before, name: rows}, tuple(rows.values())))
        return loads

    def next_write(self) -> Write:
        """Draw a write, and say which rows there are after it."""
        chance = self.chance
        table = self.tables[chance.choice("rppffffffsss")]
        name, rows, row = table.name, dict(self.rows[table.name]), self._row(table)
        key = tuple(row[column] for column in table.key)
        whole_key = {column: row[column] for column in table.key}
        kinds = ["put", "put", "new", "gain", "many", "remove", "set", "set", "set", "load"]
        kinds += ["all", "empty"] if ("a", _FEW) in table.limits else []
        match chance.choice(kinds):
            case "put" | "new" | "gain" as kind:
                return self._written(f"{kind}_{name}", row, name, {**rows, key: row})
            case "many":
                several = [row, *(self._row(table) for _ in range(chance.randrange(3)))]
                after = {**rows, **{tuple(new[column] for column in table.key): new for new in several}}
                return self._written(f"many_{name}", {"rows": several}, name, after)
            case "load":
                loaded = tuple(self._row(table) for _ in range(chance.randint(1, 4)))
                after = {**rows, **{tuple(new[column] for column in table.key): new for new in loaded}}
                return Write("", {}, name, {**self.rows, name: after}, loaded)
            case "remove":
                return self._written(f"remove_{name}", whole_key, name, {k: v for k, v in rows.items() if k != key})
            case "all":
                column = table.changeable[-1]
                value = self._value(column)
                after = {k: {**v, column.name: value} if v["a"] == row["a"] else v for k, v in rows.items()}
                return self._written(f"all_{name}", {"a": row["a"], "value": value}, name, after)
            case "empty":
                after = {k: v for k, v in rows.items() if v["a"] != row["a"]}
                return self._written(f"empty_{name}", {"a": row["a"]}, name, after)
            case _:
                column = chance.choice(table.changeable)
                value = self._value(column)
                after = {**rows, key: {**rows[key], column.name: value}} if key in rows else rows
                return self._written(f"set_{name}_{column.name}", {**whole_key, "value": value}, name, after)

    def _written(self, query: str, parameters: Row, table: str, rows: Mapping[tuple[Any, ...], Row]) -> Write:
        return Write(query, parameters, table, {**self.rows, table: rows})

    def recomputed(self, rows: Rows) -> dict[str, list[tuple[Any, ...]]]:
        """Return the rows of each view as DuckDB computes them from the rows of the tables, sorted."""
        with duckdb.connect() as duck:
            for name, table in self.tables.items():
                duck.execute(f"CREATE TABLE {name} ({', '.join(column.declared for column in table.columns)})")
                for row in rows[name].values():
                    marks = ", ".join("?" * len(table.names))
                    duck.execute(f"INSERT INTO {name} VALUES ({marks})", [row[column] for column in table.names])
            return {view.name: ordered(duck.execute(view.select).fetchall()) for view in self.views}


class JoinedView(View):
    """A view of several tables; its columns are called after their aliases."""

    __slots__ = ("_from",)

    def set_from(self, sources: list[tuple[str, str]], pairs: list[Pair], optional: set[str]) -> None:
        text = f"{sources[0][1]} {sources[0][0]}"
        for (alias, table), (before, here) in zip(sources[1:], pairs, strict=True):
            word = "LEFT JOIN" if alias in optional else "JOIN"
            text += f" {word} {table} {alias} ON {'.'.join(here)} = {'.'.join(before)}"
        object.__setattr__(self, "_from", text)

    @property
    def names(self) -> tuple[str, ...]:
        return (*(_alias(key) for key in self.keys), *(part.name for part in self.aggregates))

    @property
    def select(self) -> str:
        keys = ", ".join(f"{self.grouped_by(key)} AS {_alias(key)}" for key in self.keys)
        parts = ", ".join(part.text for part in self.aggregates)
        where = f" WHERE {self.condition}" if self.condition else ""
        groups = ", ".join(self.grouped_by(key) for key in self.keys)
        return f"SELECT {keys}, {parts} FROM {self._from}{where} GROUP BY {groups}"  # type: ignore[attr-defined]


def _alias(key: Column) -> str:
    return "by_" + key.name.replace(".", "_")


def _empty(alias: str) -> str:
    return f"{alias}.id IS NULL"


def _literal(value: Any) -> str:
    if isinstance(value, str):
        return f"'{value}'"
    return str(value).upper() if isinstance(value, bool) else str(value)
