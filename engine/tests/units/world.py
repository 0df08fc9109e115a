"""Random units over two tables, and what DuckDB makes of them in a transaction of its own.

World(seed) ── schema, units ──▶ source
            └─ execution ──▶ a unit, parameters ──foretold──▶ the statement that refuses it, or the rows returned

The tables of DuckDB have no constraints: these are asked after each row, as the engine checks them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

MOST_OF_A_GROUP, MOST_PINS = 3, 2
IDS, GROUPS, CODES = range(6), range(3), range(4)
SCHEMA = f"""
CREATE TABLE t (
  id INT PRIMARY KEY, g INT NULL, v INT NOT NULL, code INT NULL UNIQUE,
  CHECK (v >= 0), CARDINALITY LIMIT {MOST_OF_A_GROUP} (g));
CREATE TABLE pins (
  id INT REFERENCES t, n INT, PRIMARY KEY (id, n), CARDINALITY LIMIT {MOST_PINS} (id));
CREATE QUERY richest AS SELECT id, v FROM t WHERE g = [g] ORDER BY v DESC LIMIT 2;
"""
VIEW = """
CREATE VIEW totals AS SELECT g, COUNT(*) AS n, SUM(v) AS total FROM t WHERE g IS NOT NULL GROUP BY g;
CREATE QUERY largest AS SELECT g, total FROM totals ORDER BY total DESC LIMIT 2;
"""
KINDS_BY_STEPS = ("put", "put_new", "gain", "put_list", "set", "take", "spend", "take_if", "pin", "unpin")
READS_BY_STEPS = ("of_key", "group_of", "row_of", "pinned", "pins_below", "last_pin", "known")
Values = Mapping[str, Any]


class Refused(Exception):
    """A row or a condition refuses the statement."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a unit: its kind, its text, and its parameters with what the caller may give for them.

    roles    the parameter, or the value of a LET, that stands for each word of its kind
    lets     the names of the values that it reads; none for a write
    """

    kind: str
    text: str
    choices: Mapping[str, str]
    returns: bool
    roles: Mapping[str, str]
    lets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an execution comes to: the number of the statement that refuses it, or the rows that it returns."""

    refused_by: int | None
    rows: tuple[Values, ...] = ()


_TEXTS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "put": (
        "INSERT INTO t (id, g, v, code) VALUES ({id}, {g}, {v}, {code})",
        {"id": "id", "g": "g", "v": "v", "code": "code"},
    ),
    "put_new": (
        "INSERT INTO t (id, g, v, code) VALUES ({id}, {g}, {v}, {code}) IF NOT EXISTS",
        {"id": "id", "g": "g", "v": "v", "code": "code"},
    ),
    "gain": (
        "INSERT INTO t (id, v) VALUES ({id}, {v}) ON CONFLICT (id) DO UPDATE SET v = v + EXCLUDED.v",
        {"id": "id", "v": "v"},
    ),
    "put_list": ("INSERT INTO t (id, g, v) VALUES {rows} MAX 3", {"rows": "rows"}),
    "set": ("UPDATE t SET g = {g} WHERE id = {id}", {"id": "id", "g": "g"}),
    "take": ("UPDATE t SET v = v - {v} WHERE id = {id} AND v >= {v}", {"id": "id", "v": "v"}),
    "spend": ("UPDATE t SET v = v - {v} WHERE id = {id}", {"id": "id", "v": "v"}),
    "take_if": ("UPDATE t SET v = v - {v} WHERE id = {id} IF v >= {v}", {"id": "id", "v": "v"}),
    "of_code": ("UPDATE t SET v = v + {v} WHERE code = {code} AND v < {w}", {"code": "a_code", "v": "v", "w": "v"}),
    "all": ("UPDATE t SET v = v + {v} WHERE g = {g} AND v < {w}", {"g": "a_group", "v": "v", "w": "v"}),
    "move": ("UPDATE t SET g = {h} WHERE g = {g}", {"g": "a_group", "h": "g"}),
    "drop": ("DELETE FROM t WHERE id = {id}", {"id": "id"}),
    "drop_if": ("DELETE FROM t WHERE id = {id} AND v < {v}", {"id": "id", "v": "v"}),
    "clear": ("DELETE FROM t WHERE g = {g}", {"g": "a_group"}),
    "pin": ("INSERT INTO pins (id, n) VALUES ({id}, {n})", {"id": "id", "n": "n"}),
    "unpin": ("DELETE FROM pins WHERE id = {id}", {"id": "id"}),
}
_LETS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "of_key": ("COALESCE((SELECT v FROM t WHERE id = {id}), 1)", {"id": "id"}),
    "group_of": ("(SELECT g FROM t WHERE id = {id})", {"id": "id"}),
    "how_many": ("(SELECT COUNT(*) FROM t WHERE g = {g})", {"g": "a_group"}),
    "highest": ("(SELECT MAX(id) FROM t WHERE g = {g} AND v < {v})", {"g": "a_group", "v": "v"}),
    "summed": ("COALESCE((SELECT total FROM totals WHERE g = {g}), 0)", {"g": "a_group"}),
    "more": ("COALESCE((SELECT n FROM totals WHERE g = {g}), 0) + {v}", {"g": "a_group", "v": "v"}),
    "row_of": ("(SELECT v, g FROM t WHERE id = {id})", {"id": "id"}),
    "row_of_best": (
        "(SELECT v, id FROM t WHERE g = {g} AND v < {v} ORDER BY v DESC, id LIMIT 1)",
        {"g": "a_group", "v": "v"},
    ),
    "pinned": ("COALESCE((SELECT SUM(n) FROM pins WHERE id = {id}), 0)", {"id": "id"}),
    "pins_below": ("(SELECT COUNT(*) FROM pins WHERE id = {id} AND n < {v})", {"id": "id", "v": "v"}),
    "last_pin": ("(SELECT n FROM pins WHERE id = {id} ORDER BY n DESC LIMIT 1)", {"id": "id"}),
    "known": ("CASE WHEN EXISTS (SELECT 1 FROM pins WHERE id = {id}) THEN {v} + 1 ELSE 1 END", {"id": "id", "v": "v"}),
}
"""What a LET reads or computes; one that reads a row has two names."""
_TAKE_LETS = ("id", "v", "w", "g", "h", "code", "n")
"""The words for which the value of a LET may stand."""
_RETURNING = {"take", "take_if", "all", "move", "clear", "put", "gain"}


class World:
    """The units of one seed, and DuckDB with the rows that they have left so far.

    With `by_steps` it leaves out most of what a store without transactions refuses.
    """

    def __init__(self, seed: int, *, by_steps: bool = False) -> None:
        self._schema = SCHEMA if by_steps else SCHEMA + VIEW
        self._kinds = KINDS_BY_STEPS if by_steps else tuple(_TEXTS)
        self._reads = READS_BY_STEPS if by_steps else tuple(_LETS)
        self.chance = random.Random(seed)
        self.units = {f"unit{number}": self._unit() for number in range(4)}
        self.oracle = duckdb.connect()
        self.oracle.execute("CREATE TABLE t (id INT, g INT, v INT, code INT); CREATE TABLE pins (id INT, n INT)")

    @property
    def source(self) -> str:
        return self._schema + "".join(
            f"CREATE UNIT {name} AS BEGIN\n" + "".join(f"  {statement.text};\n" for statement in statements) + "END;\n"
            for name, statements in self.units.items()
        )

    def _unit(self) -> list[Statement]:
        chance = self.chance
        kinds = chance.choices(self._kinds, k=chance.randint(1, 5))
        may_return = [number for number, kind in enumerate(kinds) if kind in _RETURNING]
        returning = chance.choice(may_return) if may_return and chance.random() < 0.5 else None
        statements: list[Statement] = []
        lets: list[str] = []
        for number, kind in enumerate(kinds):
            if chance.random() < 0.4:
                read = self._statement(10 + number, chance.choice(self._reads), False, lets)
                statements.append(read)
                lets += read.lets
            statements.append(self._statement(number, kind, number == returning, lets))
        return statements

    def _statement(self, number: int, kind: str, returns: bool, lets: Sequence[str]) -> Statement:
        text, choices = (_TEXTS | _LETS)[kind]
        roles = {role: self._name(role, what, number, lets) for role, what in choices.items()}
        text = text.format(**{role: f"[{name}]" for role, name in roles.items()})
        if returns:
            text += " RETURNING id, v"
        names = (f"let{number}", f"let{number}b") if kind.startswith("row_of") else (f"let{number}",)
        names = names if kind in _LETS else ()
        called = f"({', '.join(names)})" if len(names) > 1 else "".join(names)
        text = f"LET {called} = {text}" if names else text
        given = {roles[role]: what for role, what in choices.items() if roles[role] not in lets}
        return Statement(kind, text, given, returns, roles, names)

    def _name(self, role: str, what: str, number: int, lets: Sequence[str]) -> str:
        if lets and role in _TAKE_LETS and self.chance.random() < 0.3:
            return self.chance.choice(lets)
        return "shared" if what == "id" and self.chance.random() < 0.4 else f"{role}{number}"

    def executions(self, seed: int) -> Iterator[tuple[str, Values]]:
        """Draw units and parameters without end, from a seed of their own."""
        self.chance = random.Random(seed)
        while True:
            yield self.execution()

    def execution(self) -> tuple[str, Values]:
        """Draw a unit and its parameters."""
        name = self.chance.choice(list(self.units))
        parameters: dict[str, Any] = {}
        for statement in self.units[name]:
            for parameter, what in statement.choices.items():
                parameters.setdefault(parameter, self._value(what))
        return name, parameters

    def _value(self, what: str) -> Any:
        chance = self.chance
        match what:
            case "id":
                return chance.choice(IDS)
            case "g":
                return chance.choice((None, *GROUPS))
            case "a_group":
                return chance.choice(GROUPS)
            case "code":
                return chance.choice((None, None, *CODES))
            case "a_code":
                return chance.choice(CODES)
            case "rows":
                return [{"id": self._value("id"), "g": self._value("g"), "v": self._value("v")} for _ in range(3)][
                    : chance.randint(0, 3)
                ]
            case _:
                return chance.choice((0, 1, 2, 5))

    def foretold(self, name: str, parameters: Values) -> Outcome:
        """Let DuckDB make all statements in one transaction; what is refused is rolled back."""
        self.oracle.execute("BEGIN")
        returned: tuple[Values, ...] = ()
        known = dict(parameters)
        for number, statement in enumerate(self.units[name], 1):
            if statement.lets:
                known |= dict(zip(statement.lets, self._read(statement, known), strict=True))
                continue
            try:
                rows = list(self._made(statement, known))
            except Refused:
                self.oracle.execute("ROLLBACK")
                return Outcome(number)
            if statement.returns:
                returned = tuple({"id": row[0], "v": row[1]} for row in rows)
        self.oracle.execute("COMMIT")
        return Outcome(None, returned)

    def _made(self, statement: Statement, parameters: Values) -> Iterator[tuple[Any, ...]]:
        """Make a statement row by row; yield the rows that RETURNING shows, in the order of their keys."""
        by_role = {role: parameters[name] for role, name in statement.roles.items()}
        for change in self._changes(statement.kind, by_role):
            yield from change
            self._check()

    def _read(self, statement: Statement, known: Values) -> tuple[Any, ...]:
        """Return the values of a LET, as the statements before it have left the tables."""
        text, roles = _LETS[statement.kind]
        in_order = {role: f"${number}" for number, role in enumerate(roles, 1)}
        totals = "(SELECT g, COUNT(*) AS n, SUM(v) AS total FROM t WHERE g IS NOT NULL GROUP BY g)"
        select = text.format(**in_order).replace("totals", totals)
        values = [known[statement.roles[role]] for role in roles]
        if len(statement.lets) > 1:
            return self.oracle.execute(select[1:-1], values).fetchone() or (None, None)
        row = self.oracle.execute(f"SELECT CAST({select} AS BIGINT)", values).fetchone()
        assert row is not None
        return tuple(row)

    def _changes(self, kind: str, given: Values) -> Iterator[Sequence[tuple[Any, ...]]]:
        """Yield the rows affected by each row's change, once it is made."""
        key = given.get("id")
        match kind:
            case "put" | "put_new":
                if kind == "put_new" and self._ids("id = ?", key):
                    raise Refused
                yield self._put(key, given["g"], given["v"], given["code"])
            case "gain":
                if self._ids("id = ?", key):
                    yield self._updated("v = v + ?", given["v"], key)
                else:
                    yield self._put(key, None, given["v"], None)
            case "put_list":
                for row in given["rows"]:
                    yield self._put(row["id"], row["g"], row["v"], None)
            case "pin":
                self.oracle.execute("DELETE FROM pins WHERE id = ? AND n = ?", [key, given["n"]])
                self.oracle.execute("INSERT INTO pins VALUES (?, ?)", [key, given["n"]])
                yield ()
            case "unpin":
                self.oracle.execute("DELETE FROM pins WHERE id = ?", [key])
                yield ()
            case "drop" | "drop_if" | "clear":
                yield from self._deletes(kind, given)
            case _:
                yield from self._updates(kind, given)

    def _updates(self, kind: str, given: Values) -> Iterator[Sequence[tuple[Any, ...]]]:
        key = given.get("id")
        match kind:
            case "set":
                yield self._updated("g = ?", given["g"], key)
            case "spend":
                yield self._updated("v = v - ?", given["v"], key)
            case "take" | "take_if":
                if not self._ids("id = ? AND v >= ?", key, given["v"]):
                    raise Refused
                yield self._updated("v = v - ?", given["v"], key)
            case "of_code":
                ids = self._ids("code = ? AND v < ?", given["code"], given["w"])
                if not ids:
                    raise Refused
                yield self._updated("v = v + ?", given["v"], ids[0])
            case "all":
                for row_id in self._ids("g = ? AND v < ?", given["g"], given["w"]):
                    yield self._updated("v = v + ?", given["v"], row_id)
            case "move":
                for row_id in self._ids("g = ?", given["g"]):
                    yield self._updated("g = ?", given["h"], row_id)

    def _deletes(self, kind: str, given: Values) -> Iterator[Sequence[tuple[Any, ...]]]:
        if kind == "clear":
            for row_id in self._ids("g = ?", given["g"]):
                yield self._deleted(row_id)
            return
        if kind == "drop_if" and not self._ids("id = ? AND v < ?", given["id"], given["v"]):
            raise Refused
        yield self._deleted(given["id"])

    def _ids(self, test: str, *values: Any) -> list[int]:
        rows = self.oracle.execute(f"SELECT id FROM t WHERE {test} ORDER BY id", list(values)).fetchall()
        return [row[0] for row in rows]

    def _put(self, key: Any, g: Any, v: Any, code: Any) -> list[tuple[Any, ...]]:
        self.oracle.execute("DELETE FROM t WHERE id = ?", [key])
        self.oracle.execute("INSERT INTO t VALUES (?, ?, ?, ?)", [key, g, v, code])
        return [(key, v)]

    def _updated(self, change: str, value: Any, key: Any) -> list[tuple[Any, ...]]:
        self.oracle.execute(f"UPDATE t SET {change} WHERE id = ?", [value, key])
        return self.oracle.execute("SELECT id, v FROM t WHERE id = ?", [key]).fetchall()

    def _deleted(self, key: Any) -> list[tuple[Any, ...]]:
        rows = self.oracle.execute("SELECT id, v FROM t WHERE id = ?", [key]).fetchall()
        self.oracle.execute("DELETE FROM t WHERE id = ?", [key])
        return rows

    def _check(self) -> None:
        """Raise Refused where a constraint does not hold."""
        broken = self.oracle.execute(
            f"""
            SELECT 1 FROM t WHERE v < 0 OR v IS NULL OR id IS NULL UNION ALL
            SELECT 1 FROM pins WHERE id IS NULL OR n IS NULL UNION ALL
            SELECT 1 FROM t WHERE g IS NOT NULL GROUP BY g HAVING COUNT(*) > {MOST_OF_A_GROUP} UNION ALL
            SELECT 1 FROM t WHERE code IS NOT NULL GROUP BY code HAVING COUNT(*) > 1 UNION ALL
            SELECT 1 FROM pins GROUP BY id HAVING COUNT(*) > {MOST_PINS} UNION ALL
            SELECT 1 FROM pins WHERE id NOT IN (SELECT id FROM t)
            """
        ).fetchall()
        if broken:
            raise Refused

    def rows_of(self, table: str) -> list[tuple[Any, ...]]:
        """Return the rows that DuckDB holds, in the order of all columns."""
        if table == "totals":
            select = "SELECT g, COUNT(*), CAST(SUM(v) AS BIGINT) FROM t WHERE g IS NOT NULL GROUP BY g"
        else:
            select = f"SELECT * FROM {table}"
        return self.oracle.execute(f"SELECT * FROM ({select}) ORDER BY ALL NULLS FIRST").fetchall()
