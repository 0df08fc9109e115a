"""A random table with views, and random writes: a model says what the rows are then, DuckDB what the views must hold.

World(seed) ── schema, views ──▶ texts
            └─ next_write ──▶ a query with its parameters, and the rows after it
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import duckdb

Row = Mapping[str, Any]
Rows = Mapping[int, Row]

_KEYS = {
    "VARCHAR(4)": ("a", "b", "ä", ""),
    "INT": (0, 1, -7),
    "DECIMAL(6, 2)": (Decimal("0.00"), Decimal("-1.50"), Decimal("99.99")),
    "BOOLEAN": (False, True),
    "DATE": (date(2024, 2, 29), date(2024, 3, 3), date(2024, 3, 4), date(1969, 12, 31)),
    "TIMESTAMP": (
        datetime(2024, 3, 3, 23, 59, 59, 999_000, UTC),
        datetime(2024, 3, 4, tzinfo=UTC),
        datetime(2024, 3, 4, 0, 42, 0, 1000, UTC),
        datetime(1969, 7, 20, 20, 17, 40, tzinfo=UTC),
    ),
}
_WINDOWS = {
    "DATE": (("7 DAYS", "7 DAYS", 1), ("2 WEEKS", "7 DAYS", 2), ("3 DAYS", "1 DAY", 3)),
    "TIMESTAMP": (
        ("1 HOUR", "1 HOUR", 1),
        ("1 HOUR", "20 MINUTES", 3),
        ("2 WEEKS", "1 WEEK", 2),
        ("90 SECONDS", "45 SECONDS", 2),
    ),
}
"""Of a time: how long windows are, how far apart they begin, and in how many a row is."""
_VALUES: Mapping[str, tuple[Any, ...]] = {
    "INT": (0, 1, -1, 2_147_483_647),
    "BIGINT": (0, 5, -5, 2**62, -(2**62), 2**63 - 1),
    "DECIMAL(9, 3)": (Decimal("0.001"), Decimal("-0.001"), Decimal("999999.999"), Decimal("0.000")),
    "DECIMAL(38, 2)": (Decimal("1.25"), Decimal("-1.25"), Decimal(10) ** 35),
    "VARCHAR(4)": ("x", ""),
}
_IDS = 8
_MOST_OF_ONE_ID = 16
_BIGINT = range(-(2**63), 2**63)


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: str
    nullable: bool

    @property
    def declared(self) -> str:
        return f"{self.name} {self.type}{'' if self.nullable else ' NOT NULL'}"


@dataclass(frozen=True, slots=True)
class Aggregate:
    """COUNT(*), or COUNT, SUM or AVG of a column, as the column `name` of a view."""

    name: str
    function: str
    column: Column | None

    @property
    def text(self) -> str:
        return f"{self.function}({self.column.name if self.column else '*'}) AS {self.name}"


@dataclass(frozen=True, slots=True)
class View:
    name: str
    keys: tuple[Column, ...]
    aggregates: tuple[Aggregate, ...]
    condition: str = ""
    stand_ins: Mapping[str, str] = field(default_factory=dict)  # by the name of a key, as literals
    windowed: Column | None = None
    window: tuple[str, str, int] = ("", "", 1)
    stripes: int = 1

    def grouped_by(self, key: Column) -> str:
        if key == self.windowed:
            return f"WINDOW_START({key.name})"
        return f"COALESCE({key.name}, {self.stand_ins[key.name]})" if key.name in self.stand_ins else key.name

    @property
    def names(self) -> tuple[str, ...]:
        return (*(f"by_{key.name}" for key in self.keys), *(part.name for part in self.aggregates))

    @property
    def recomputed(self) -> str:
        """The view as DuckDB computes it: each row once for each of its windows."""
        if self.windowed is None:
            return self.select
        name, (_, step, count) = self.windowed.name, self.window
        beginning = f"time_bucket(INTERVAL {step}, {name}) - number * INTERVAL {step}"
        rows = f"(SELECT *, CAST({beginning} AS {self.windowed.type}) AS began FROM t, range({count}) AS of(number))"
        return self.select.replace(f"WINDOW_START({name})", "began").replace("FROM t", f"FROM {rows} AS t")

    @property
    def select(self) -> str:
        keys = ", ".join(f"{self.grouped_by(key)} AS by_{key.name}" for key in self.keys)
        parts = ", ".join(part.text for part in self.aggregates)
        where = f" WHERE {self.condition}" if self.condition else ""
        return f"SELECT {keys}, {parts} FROM t{where} GROUP BY {', '.join(map(self.grouped_by, self.keys))}"

    def exactly(self, row: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return a row of DuckDB's with its times in UTC, and each average next to the exact one.

        DuckDB's averages are off by their last digits.
        """
        row = tuple(value.replace(tzinfo=UTC) if isinstance(value, datetime) else value for value in row)
        values = dict(zip(self.names, row, strict=True))
        for part in self.aggregates:
            if part.function == "AVG" and part.column is not None and values[part.name] is not None:
                count = values.get(f"count_{part.column.name}", values["rows_there"])
                exact = float(Fraction(values[f"sum_{part.column.name}"]) / count)
                assert math.isclose(values[part.name], exact, rel_tol=1e-9, abs_tol=1e-9), (self.text, values)
                values[part.name] = exact
        return tuple(values.values())

    @property
    def _clause(self) -> str:
        length, step, _ = self.window
        window = "" if self.windowed is None else f" WINDOW {length}{f' BY {step}' if step != length else ''}"
        return f"{window} STRIPES {self.stripes}" if self.stripes > 1 else window

    def added_up(self, rows: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """Return rows of the view with the stripes of each group added up."""
        groups: dict[tuple[Any, ...], tuple[Any, ...]] = {}
        number = len(self.keys)
        for row in rows:
            before = groups.get(row[:number])
            groups[row[:number]] = row if before is None else (*row[:number], *map(_sum, before[number:], row[number:]))
        return list(groups.values())

    @property
    def text(self) -> str:
        top = f"CREATE QUERY top_{self.name} AS SELECT {self.names[0]}, rows_there FROM {self.name}"
        return (
            f"CREATE VIEW {self.name} AS {self.select}{self._clause};\n"
            f"{top} WHERE {self.names[0]} = [key] ORDER BY rows_there DESC LIMIT 3;\n"
        )


@dataclass(frozen=True, slots=True)
class Write:
    """The execution of a query, or the load of rows where `query` is empty, and the rows after it.

    `written` are whole rows that it puts.
    """

    query: str
    parameters: Row
    rows_after: Rows
    written: tuple[Row, ...] = ()


class World:
    """The table, its views and the rows of one seed."""

    def __init__(self, seed: int) -> None:
        self.chance = chance = random.Random(seed)
        self.keys = [
            Column(f"k{number}", chance.choice(tuple(_KEYS)), chance.random() < 0.3)
            for number in range(chance.randint(1, 3))
        ]
        self.values = [
            Column(f"v{number}", chance.choice(tuple(_VALUES)), chance.random() < 0.5)
            for number in range(chance.randint(1, 3))
        ]
        can_be_primary = [key.name for key in self.keys[1:] if not key.nullable]
        self.primary = ["id", *(name for name in can_be_primary if chance.random() < 0.3)]
        self.views = [self._view(f"view{number}") for number in range(chance.randint(1, 3))]
        self.rows: Rows = {}

    def _view(self, name: str) -> View:
        chance = self.chance
        keys = tuple(chance.sample(self.keys, chance.randint(1, len(self.keys))))
        times = [key for key in keys if key.type in _WINDOWS]
        windowed = chance.choice(times) if times and chance.random() < 0.7 else None
        window = chance.choice(_WINDOWS[windowed.type]) if windowed is not None else ("", "", 1)
        stand_ins = {
            key.name: _literal(chance.choice(_KEYS[key.type]))
            for key in keys
            if key.nullable and key != windowed and chance.random() < 0.5
        }
        never_null = {key.name for key in keys if key.nullable and key.name not in stand_ins}
        tests = [f"{name} IS NOT NULL" for name in sorted(never_null)]
        if chance.random() < 0.5:
            column = chance.choice(self.values)
            tests.append(f"{column.name} IS NOT NULL")
            never_null.add(column.name)
        if chance.random() < 0.5:
            tests.append(self._test())
        parts = [Aggregate("rows_there", "COUNT", None)]
        stripes = chance.choice((1, 1, 1, 2, 5))
        for column in self.values:
            is_summed = not column.type.startswith("VARCHAR") and chance.random() < 0.8
            if (is_summed and column.nullable and column.name not in never_null) or chance.random() < 0.3:
                parts.append(Aggregate(f"count_{column.name}", "COUNT", column))
            if is_summed:
                parts.append(Aggregate(f"sum_{column.name}", "SUM", column))
                if chance.random() < 0.5 and stripes == 1:
                    parts.append(Aggregate(f"mean_{column.name}", "AVG", column))
        chance.shuffle(parts)
        return View(name, keys, tuple(parts), " AND ".join(tests), stand_ins, windowed, window, stripes)

    def _test(self, depth: int = 2) -> str:
        """Return a random test of columns of one row, as PIQL and DuckDB write it."""
        chance = self.chance
        column = chance.choice([*self.keys, *self.values])
        values = [_literal(value) for value in _KEYS.get(column.type, _VALUES.get(column.type, ()))]
        forms = ("compare", "in", "null", "between", *(("and", "or", "not") if depth else ()))
        match chance.choice(forms):
            case "compare":
                return f"{column.name} {chance.choice(('=', '<>', '<', '<=', '>', '>='))} {chance.choice(values)}"
            case "in":
                return f"{column.name} IN ({', '.join(chance.sample(values, min(2, len(values))))})"
            case "null":
                return f"{column.name} IS {chance.choice(('', 'NOT '))}NULL"
            case "between":
                return f"{column.name} BETWEEN {chance.choice(values)} AND {chance.choice(values)}"
            case "not":
                return f"NOT ({self._test(depth - 1)})"
            case word:
                return f"({self._test(depth - 1)} {word.upper()} {self._test(depth - 1)})"

    @property
    def columns(self) -> list[Column]:
        return [Column("id", "INT", False), *self.keys, *self.values, Column("note", "VARCHAR(4)", True)]

    @property
    def source(self) -> str:
        """The table and its writes, without views."""
        names = [column.name for column in self.columns]
        key = " AND ".join(f"{name} = [{name}]" for name in self.primary)
        moved = [column.name for column in (*self.keys, *self.values) if column.name not in self.primary]
        every = f"({', '.join(names)}) VALUES ({', '.join(f'[{name}]' for name in names)})"
        second = f"({', '.join(f'[{name}2]' for name in names)})"
        changes = ", ".join(f"{name} = EXCLUDED.{name}" for name in moved)
        columns = ", ".join(column.declared for column in self.columns)
        return (
            f"CREATE TABLE t ({columns}, CARDINALITY LIMIT {_MOST_OF_ONE_ID} (id),\n"
            f"PRIMARY KEY ({', '.join(self.primary)}));\n"
            f"CREATE QUERY put AS INSERT INTO t {every};\n"
            f"CREATE QUERY put_two AS INSERT INTO t {every}, {second};\n"
            f"CREATE QUERY put_new AS INSERT INTO t {every} ON CONFLICT DO NOTHING;\n"
            f"CREATE QUERY gain AS INSERT INTO t {every}\n"
            f"ON CONFLICT ({', '.join(self.primary)}) DO UPDATE SET {changes};\n"
            f"CREATE QUERY remove AS DELETE FROM t WHERE {key};\n"
            f"CREATE QUERY remove_all AS DELETE FROM t WHERE id = [id];\n"
            f"CREATE QUERY noted AS UPDATE t SET note = [note] WHERE {key};\n"
            f"CREATE QUERY change_all AS UPDATE t SET {moved[-1]} = [value] WHERE id = [id];\n"
            + "".join(f"CREATE QUERY set_{name} AS UPDATE t SET {name} = [value] WHERE {key};\n" for name in moved)
        )

    @property
    def views_source(self) -> str:
        return "".join(view.text for view in self.views)

    def key_of(self, row: Row) -> Any:
        return tuple(row[name] for name in self.primary)

    def _row(self) -> dict[str, Any]:
        row: dict[str, Any] = {"id": self.chance.randrange(_IDS)}
        for key in self.keys:
            row[key.name] = self._value(key)
        for column in self.values:
            row[column.name] = self._value(column)
        row["note"] = self.chance.choice((None, "n"))
        return row

    def _value(self, column: Column) -> Any:
        if column.nullable and self.chance.random() < 0.3:
            return None
        return self.chance.choice((_KEYS if column in self.keys else _VALUES)[column.type])

    def next_write(self) -> Write:
        """Draw a write, and say which rows there are after it."""
        rows, row = dict(self.rows), self._row()
        key = self.key_of(row)
        old = rows.get(key)
        whole_key = {name: row[name] for name in self.primary}
        moved = [column for column in (*self.keys, *self.values) if column.name not in self.primary]
        column = self.chance.choice(moved)
        kinds = ("put", "put_two", "put_new", "gain", "remove", "remove_all", "noted", "change_all", "set", "load")
        match self.chance.choices(kinds, (4, 2, 1, 3, 2, 1, 1, 2, 6, 1))[0]:
            case "put":
                return Write("put", row, {**rows, key: row})
            case "put_two":
                second = self._row()
                both = {**rows, key: row, self.key_of(second): second}
                parameters = {**row, **{f"{name}2": value for name, value in second.items()}}
                return Write("put_two", parameters, both, (row, second))
            case "put_new":
                return Write("put_new", row, rows if old else {**rows, key: row})
            case "gain":
                return Write("gain", row, {**rows, key: {**row, "note": old["note"] if old else row["note"]}})
            case "remove":
                return Write("remove", whole_key, {k: v for k, v in rows.items() if k != key})
            case "remove_all":
                return Write("remove_all", {"id": row["id"]}, {k: v for k, v in rows.items() if v["id"] != row["id"]})
            case "noted":
                after = {**rows, key: {**old, "note": row["note"]}} if old else rows
                return Write("noted", {**whole_key, "note": row["note"]}, after)
            case "change_all":
                column = moved[-1]
                value = self._value(column)
                changed = {k: {**v, column.name: value} if v["id"] == row["id"] else v for k, v in rows.items()}
                return Write("change_all", {"id": row["id"], "value": value}, changed)
            case "set":
                value = self._value(column)
                after = {**rows, key: {**old, column.name: value}} if old else rows
                return Write(f"set_{column.name}", {**whole_key, "value": value}, after)
            case _:
                loaded = tuple(self._row() for _ in range(self.chance.randint(1, 6)))
                return Write("", {}, {**rows, **{self.key_of(new): new for new in loaded}}, loaded)

    def is_too_large(self, rows: Iterable[Row]) -> bool:
        """Whether a sum of some view may be outside of its type, for these rows or for some of them."""
        rows = tuple(rows)
        for view in self.views:
            for part in view.aggregates:
                if part.function == "SUM" and part.column is not None:
                    numbers = [row[part.column.name] or 0 for row in rows]
                    most = max((sum(n for n in numbers if n > 0), -sum(n for n in numbers if n < 0)))
                    if most not in _BIGINT if part.column.type in ("INT", "BIGINT") else most >= Decimal(10) ** 36:
                        return True
        return False

    def recomputed(self, rows: Rows) -> dict[str, list[tuple[Any, ...]]]:
        """Return the rows of each view as DuckDB computes them from rows of the table, sorted."""
        names = [column.name for column in self.columns]
        with duckdb.connect() as duck:
            declared = ", ".join(column.declared for column in self.columns)
            duck.execute(f"CREATE TABLE t ({declared})")
            for row in rows.values():
                values = [_without_zone(row[name]) for name in names]
                duck.execute(f"INSERT INTO t VALUES ({', '.join('?' * len(names))})", values)
            return {
                view.name: ordered(map(view.exactly, duck.execute(view.recomputed).fetchall())) for view in self.views
            }


def _sum(left: Any, right: Any) -> Any:
    """Add exactly; NULL is no number."""
    if left is None or right is None:
        return right if left is None else left
    with localcontext(prec=100):
        return left + right


def _without_zone(value: Any) -> Any:
    """Return a time as DuckDB's TIMESTAMP takes it, which has no time zone; other values as they are."""
    return value.replace(tzinfo=None) if isinstance(value, datetime) else value


def _literal(value: Any) -> str:
    """Return a value as it is written in both languages."""
    if isinstance(value, datetime):
        value = value.isoformat().replace("+00:00", "Z")
    if isinstance(value, str | date):
        return f"'{value}'"
    return str(value).upper() if isinstance(value, bool) else str(value)


def ordered(rows: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return sorted(rows, key=repr)
