# ruff: noqa: E501  # a shape is one line
"""What the compiler takes for a megabyte that is large in one way: `python engine/benchmarks/large_texts.py [words]`.

Each text is compiled in a process of its own, and the processor time of the compiler (`user`) is printed; the words
choose the shapes whose names hold one of them. Every text has to be answered within two seconds. Beside it stands the
time of a loop that always does the same, before and after the text: where it is longer, other programs were busy.

To add a shape, add a row to SHAPES: a name, and a function from a size in characters to a text.
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
from collections.abc import Callable
from itertools import count

import piql
import piql.compiler.incremental.recompile  # loaded here, so that no text pays for it

MEGABYTE = 1_000_000  # characters of each text
SECONDS = 2.0  # that a text may take

Shape = Callable[[int], str]

_T = "CREATE TABLE t (a INT PRIMARY KEY, b INT, c INT, d VARCHAR(20));\n"
_LIMITED = "CREATE TABLE t (a INT, b INT, c INT, d VARCHAR(20), PRIMARY KEY (a, b), CARDINALITY LIMIT 50 (a));\n"
_KEYED = "CREATE TABLE t (a INT PRIMARY KEY, b INT NOT NULL REFERENCES t MAX 20, c INT, d VARCHAR(20));\n"


def many(part: Callable[[int], str], size: int, start: str = "", end: str = "", between: str = "") -> str:
    """Return parts one after another until the text has its size."""
    left = size - len(start) - len(end)
    parts = []
    for number in count():
        text = part(number)
        left -= len(text) + len(between)
        if left < 0:
            break
        parts.append(text)
    return start + between.join(parts) + end


def _repeated(piece: str) -> Shape:
    """One text again and again."""
    return lambda size: piece * (size // len(piece))


def _queries(body: Callable[[int], str], schema: str = _T) -> Shape:
    """Queries with the bodies that `body` makes of their numbers."""
    return lambda size: many(lambda number: f"CREATE QUERY q{number} AS {body(number)};\n", size, schema)


def _list(start: str, part: Callable[[int], str], end: str, between: str = ", ", schema: str = _T) -> Shape:
    """One statement with a list as long as the text."""
    return lambda size: many(part, size, schema + start, end, between)


def _aliases(tables: int, condition: Callable[[int], str], table: str = "t") -> str:
    joins = "".join(f" JOIN {table} x{at} ON {condition(at)}" for at in range(1, tables))
    return f"{table} x0{joins}"


def _join(tables: int, condition: Callable[[int], str], end: str = "") -> str:
    return f"SELECT x0.a FROM {_aliases(tables, condition)}{end}"


def _by_key(at: int) -> str:
    return f"x{at}.a = x{at - 1}.b"


def _by_no_key(at: int) -> str:
    return f"x{at}.b = x{at - 1}.b"


def _star(at: int) -> str:
    return f"x{at}.c = x0.c"


def _all_equal(at: int) -> str:
    return " AND ".join(f"x{at}.b = x{earlier}.b" for earlier in range(at))


def _nested(depth: int, opening: str, closing: str, inner: str) -> str:
    return opening * depth + inner + closing * depth


def _joins(tables: int, condition: Callable[[int], str], end: str, schema: str = _T) -> Shape:
    """Queries that join one table with itself so many times; `#` in the end of a query is its number."""
    return _queries(lambda number: _join(tables, condition, end.replace("#", str(number))), schema)


def _one_join(tables: int, condition: Callable[[int], str], end: str, schema: str = _T) -> Shape:
    return lambda size: f"{schema}CREATE QUERY q AS {_join(tables, condition, end)};\n"


def _columns(number: int) -> str:
    return ", ".join(f"c{number}_{at} INT" for at in range(990))


def _key(columns: int) -> str:
    names = [f"c{at}" for at in range(columns)]
    return f"CREATE TABLE k ({', '.join(f'{name} INT' for name in names)}, PRIMARY KEY ({', '.join(names)}));\n"


_WIDE = f"CREATE TABLE w (a INT PRIMARY KEY, {', '.join(f'c{at} INT' for at in range(900))});\n"

SHAPES: dict[str, Shape] = {
    # texts that are no statements
    "one word": lambda size: "a" * size,
    "parentheses": lambda size: "(" * size,
    "quotes": lambda size: "'" * size,
    "one string": lambda size: f"CREATE QUERY q AS SELECT '{'x' * size}' FROM t;",
    "one comment": lambda size: "--" + "x" * size,
    "one block comment": lambda size: "/*" + "x *" * (size // 3) + "*/",
    "comments": _repeated("/*"),
    "comments in lines": lambda size: _T + "-- a comment that says nothing\n" * (size // 31),
    "comments in a query": lambda size: f"{_T}CREATE QUERY q AS SELECT a {'/* x */ ' * (size // 8)} FROM t WHERE a = 1;",
    "blank lines": lambda size: _T + "\n" * size,
    "semicolons": lambda size: _T + ";" * size,
    "unknown characters": _repeated("😀\n"),
    "one keyword": _repeated("SELECT "),
    "broken statements": _repeated("x; "),
    "numbers": _repeated("1 "),
    "digits": lambda size: f"{_T}CREATE QUERY q AS SELECT a FROM t WHERE a = {'1' * size};",
    # statements again and again
    "one query again and again": _repeated("CREATE QUERY q AS SELECT a FROM t;\n"),
    "one bounded query again and again": lambda size: _T + "CREATE QUERY q AS SELECT a FROM t WHERE a = 1;\n" * (size // 48),
    "one table again and again": _repeated("CREATE TABLE t (a INT PRIMARY KEY);\n"),
    "one index again and again": lambda size: _T + "CREATE INDEX i ON t (b);\n" * (size // 25),
    "queries without a body": _repeated("CREATE QUERY q AS "),
    "queries of no table": _queries(lambda number: f"SELECT a FROM nothing{number} WHERE a = 1"),
    "queries of a misspelt column": _queries(lambda number: "SELECT aa FROM t WHERE aaa = 1"),
    "queries of a misspelt table": _queries(lambda number: "SELECT a FROM tt WHERE a = 1"),
    "queries by key": _queries(lambda number: f"SELECT b FROM t WHERE a = {number}"),
    "queries of an index each": _queries(lambda number: f"SELECT b FROM t WHERE b = {number} ORDER BY c LIMIT {number + 1}"),
    "refused scans": _queries(lambda number: f"SELECT b FROM t WHERE b > {number}"),
    "refused products": _queries(lambda number: f"SELECT x.b FROM t x, t y WHERE x.b > {number}"),
    "refused sorts": _queries(lambda number: f"SELECT b FROM t WHERE b = {number} ORDER BY c"),
    "patterns": _queries(lambda number: f"SELECT b FROM t WHERE d LIKE '%{number}%'"),
    "offsets": _queries(lambda number: f"SELECT b FROM t WHERE a = 1 LIMIT 5 OFFSET {number}"),
    "inserts": _queries(lambda number: f"INSERT INTO t (a, b, c, d) VALUES ([a], {number}, 2, 'x')"),
    "updates": _queries(lambda number: f"UPDATE t SET b = {number}, c = [c] WHERE a = [a]"),
    "deletes": _queries(lambda number: f"DELETE FROM t WHERE a = [a] AND b = {number}"),
    "bulk updates": _queries(lambda number: f"UPDATE t SET b = 1 WHERE c = {number}"),
    "types that do not fit": _queries(lambda number: f"SELECT b FROM t WHERE a = 'x{number}'"),
    "parameters of two types": _queries(lambda number: "SELECT b FROM t WHERE a = [p] AND d = [p]"),
    # joins
    "bounded joins of 2": _joins(2, _by_key, " WHERE x0.a = #", _KEYED),
    "bounded joins of 6": _joins(6, _by_key, " WHERE x0.a = #", _KEYED),
    "bounded joins of 12": _joins(12, _by_key, " WHERE x0.a = #", _KEYED),
    "bounded joins of 12 with a stop": _joins(12, _by_key, " WHERE x0.a = # ORDER BY x3.c LIMIT 10", _KEYED),
    "bounded joins of 60": _joins(60, _by_key, " WHERE x0.a = #", _KEYED),
    "refused joins of 2": _joins(2, _by_no_key, " WHERE x0.a = #"),
    "refused joins of 6": _joins(6, _by_no_key, " WHERE x0.a = #"),
    "refused joins of 6 with a stop": _joins(6, _by_no_key, " WHERE x0.a = # ORDER BY x3.c LIMIT 10"),
    "refused joins of 12": _joins(12, _by_no_key, " WHERE x0.a = #"),
    "refused joins of 12 with a stop": _joins(12, _by_no_key, " WHERE x0.a = # ORDER BY x3.c LIMIT 10"),
    "refused joins of 12 without a key": _joins(12, _by_key, " WHERE x0.c > #", _KEYED),
    "refused joins of 60": _joins(60, _by_no_key, " WHERE x0.a = #"),
    "stars of 12": _joins(12, _star, " WHERE x0.a = #"),
    "stars of 60": _joins(60, _star, " WHERE x0.a = #"),
    "one refused join of 64": _one_join(64, _by_no_key, " WHERE x0.a = 1"),
    "one refused join of 64 with a stop": _one_join(64, _by_no_key, " WHERE x0.a = 1 ORDER BY x9.c LIMIT 10"),
    "one refused star of 64": _one_join(64, _star, " WHERE x0.a = 1"),
    "one refused clique of 64": _one_join(64, _all_equal, " WHERE x0.a = 1"),
    "one refused join of 64 with limits": _one_join(64, _by_no_key, " WHERE x0.c > 1", _LIMITED),
    "one bounded join of 64 with limits": _one_join(64, lambda at: f"x{at}.a = x{at - 1}.b", " WHERE x0.a = 1", _LIMITED),
    "one bounded join of 64 with a stop": _one_join(64, _by_key, " WHERE x0.a = 1 ORDER BY x9.c LIMIT 10", _KEYED),
    "one product of 64": lambda size: _T + "CREATE QUERY q AS SELECT x0.a FROM " + ", ".join(f"t x{at}" for at in range(64)) + ";",
    "one product of 64 keys": lambda size: _T + "CREATE QUERY q AS SELECT x0.a FROM " + ", ".join(f"t x{at}" for at in range(64)) + " WHERE " + " AND ".join(f"x{at}.a = {at}" for at in range(64)) + ";",
    "left joins of 12": _queries(lambda number: _join(12, _by_key).replace(" JOIN", " LEFT JOIN") + f" WHERE x0.a = {number}", _KEYED),
    "left joins of 60": _queries(lambda number: _join(60, _by_key).replace(" JOIN", " LEFT JOIN") + f" WHERE x0.a = {number}", _KEYED),
    "refused left joins of 60": _queries(lambda number: _join(60, _by_no_key).replace(" JOIN", " LEFT JOIN") + f" WHERE x0.a = {number}"),
    "products of 6 keys": _queries(lambda number: "SELECT x0.a FROM " + ", ".join(f"t x{at}" for at in range(6)) + " WHERE " + " AND ".join(f"x{at}.a = {at + number}" for at in range(6))),
    "products of 12 keys": _queries(lambda number: "SELECT x0.a FROM " + ", ".join(f"t x{at}" for at in range(12)) + " WHERE " + " AND ".join(f"x{at}.a = {at + number}" for at in range(12))),
    "refused products of 6": _queries(lambda number: "SELECT x0.a FROM " + ", ".join(f"t x{at}" for at in range(6)) + f" WHERE x0.b > {number}"),
    "refused cliques of 6": _joins(6, _all_equal, " WHERE x0.c > #", _LIMITED),
    "aggregates over joins": _queries(lambda number: f"SELECT x.c, COUNT(*) AS n, MAX(y.c) AS m FROM t x JOIN t y ON y.a = x.b WHERE x.a = {number} GROUP BY x.c HAVING COUNT(*) > 2", _LIMITED),
    # subqueries
    "EXISTS": _queries(lambda number: f"SELECT x.a FROM t x WHERE x.a = {number} AND EXISTS (SELECT y.a FROM t y WHERE y.a = x.b)", _KEYED),
    "many EXISTS": _queries(lambda number: f"SELECT x.a FROM t x WHERE x.a = {number}" + "".join(f" AND EXISTS (SELECT y{at}.a FROM t y{at} WHERE y{at}.a = x.b)" for at in range(20)), _KEYED),
    "EXISTS of joins": _queries(lambda number: f"SELECT x.a FROM t x WHERE x.a = {number} AND EXISTS (SELECT 1 FROM t y JOIN t z ON z.a = y.b JOIN t w ON w.a = z.b WHERE y.a = x.b)", _KEYED),
    "refused EXISTS": _queries(lambda number: f"SELECT x.a FROM t x WHERE x.a = {number} AND EXISTS (SELECT y.a FROM t y WHERE y.c = x.c)", _KEYED),
    "NOT EXISTS": _queries(lambda number: f"SELECT x.a FROM t x WHERE x.a = {number} AND NOT EXISTS (SELECT y.a FROM t y WHERE y.a = x.b)", _KEYED),
    "one query of many EXISTS": lambda size: _KEYED + "CREATE QUERY q AS SELECT x.a FROM t x WHERE x.a = 1" + "".join(f" AND EXISTS (SELECT y.a FROM t y WHERE y.a = x.b AND y.c = {at})" for at in range(2000)) + ";",
    "one query of many NOT EXISTS": lambda size: _KEYED + "CREATE QUERY q AS SELECT x.a FROM t x WHERE x.a = 1" + "".join(f" AND NOT EXISTS (SELECT y.a FROM t y WHERE y.a = x.b AND y.c = {at})" for at in range(2000)) + ";",
    "one query of many values": lambda size: many(lambda at: f"(SELECT y.c FROM t y WHERE y.a = {at}) AS v{at}", size, _KEYED + "CREATE QUERY q AS SELECT ", " FROM t x WHERE x.a = 1;", ", "),
    "deep IN": _queries(lambda number: "SELECT a FROM t WHERE a = " + str(number) + " AND " + _nested(20, "b IN (SELECT a FROM t WHERE ", ")", "c = 1"), _KEYED),
    "one deep IN": lambda size: _KEYED + "CREATE QUERY q AS SELECT a FROM t WHERE " + _nested(45, "b IN (SELECT a FROM t WHERE ", ")", "c = 1") + ";",
    "deep EXISTS": lambda size: _KEYED + "CREATE QUERY q AS SELECT x.a FROM t x WHERE x.a = 1 AND " + "".join(f"EXISTS (SELECT x{at}.a FROM t x{at} WHERE x{at}.a = {'x' if at == 0 else f'x{at - 1}'}.b AND " for at in range(40)) + "1 = 1" + ")" * 40 + ";",
    "deep derived tables": _queries(lambda number: "SELECT x.a FROM " + _nested(15, "(SELECT x.a FROM ", ") x", f"(SELECT a FROM t WHERE a = {number}) x")),
    "one deep derived table": lambda size: _T + "CREATE QUERY q AS SELECT x.a FROM " + _nested(45, "(SELECT x.a FROM ", ") x", "(SELECT a FROM t WHERE b = 1) x") + ";",
    "deep derived tables with stops": _queries(lambda number: "SELECT x.a FROM " + _nested(15, "(SELECT x.a FROM ", " ORDER BY x.a LIMIT 5) x", f"(SELECT a FROM t WHERE a = {number}) x")),
    "joins of derived tables": _queries(lambda number: "SELECT x0.a FROM " + ", ".join(f"(SELECT a, b FROM t WHERE a = {number} LIMIT 5) x{at}" for at in range(8))),
    "one join of 64 derived tables": lambda size: _T + "CREATE QUERY q AS SELECT x0.a FROM " + ", ".join(f"(SELECT a, b FROM t WHERE b = 1 LIMIT {at + 1}) x{at}" for at in range(64)) + ";",
    # unions
    "unions of 2": _queries(lambda number: f"SELECT a FROM t WHERE a = {number} UNION SELECT b FROM t WHERE a = 1"),
    "unions of 60": _queries(lambda number: " UNION ALL ".join(f"SELECT a FROM t WHERE a = {number + at}" for at in range(60))),
    "unions of 60 with a stop": _queries(lambda number: " UNION ALL ".join(f"SELECT a, b FROM t WHERE a = {number + at}" for at in range(60)) + " ORDER BY b LIMIT 5"),
    "refused unions of 60": _queries(lambda number: " UNION ".join(f"SELECT a FROM t WHERE c = {number + at}" for at in range(60))),
    "refused unions of 60 joins": _queries(lambda number: " UNION ".join(_join(5, _by_no_key, f" WHERE x0.a = {at}") for at in range(60))),
    "nested unions": _queries(lambda number: "SELECT a FROM " + _nested(8, "(SELECT a FROM t WHERE a = 1 UNION ALL SELECT a FROM ", ") x", "t") + " WHERE a = 2"),
    # predicates
    "a list": _list("CREATE QUERY q AS SELECT a FROM t WHERE a IN (", str, ");"),
    "a list of 20,000": lambda size: f"{_T}CREATE QUERY q AS SELECT a FROM t WHERE a IN ({', '.join(map(str, range(24_000)))});",
    "lists of 20,000": _queries(lambda number: f"SELECT a FROM t WHERE a IN ({', '.join(map(str, range(24_000)))})"),
    "lists of 20,000 in joins": _queries(lambda number: f"SELECT x.a FROM t x JOIN t y ON x.b = y.a WHERE x.a IN ({', '.join(map(str, range(20_000)))})"),
    "refused lists of 20,000": _queries(lambda number: f"SELECT a FROM t WHERE c IN ({', '.join(map(str, range(20_000)))})"),
    "two lists in a query": _queries(lambda number: f"SELECT a FROM t WHERE a IN ({', '.join(map(str, range(10_000)))}) AND b IN ({', '.join(map(str, range(10_000)))})"),
    "lists of strings": _queries(lambda number: "SELECT a FROM t WHERE d IN (" + ", ".join(f"'{at}'" for at in range(20_000)) + ") LIMIT 5"),
    "lists of 100": _queries(lambda number: f"SELECT a FROM t WHERE a IN ({', '.join(map(str, range(number, number + 100)))})"),
    "an OR": _list("CREATE QUERY q AS SELECT a FROM t WHERE ", lambda at: f"a = {at}", ";", " OR "),
    "an OR of 10,000": lambda size: f"{_T}CREATE QUERY q AS SELECT a FROM t WHERE {' OR '.join(f'a = {at}' for at in range(12_000))};",
    "an OR of ranges": lambda size: f"{_T}CREATE QUERY q AS SELECT a FROM t WHERE {' OR '.join(f'a > {at}' for at in range(12_000))};",
    "an OR of two columns": lambda size: f"{_T}CREATE QUERY q AS SELECT a FROM t WHERE {' OR '.join(f'a = {at} AND b = {at}' for at in range(3_000))};",
    "an OR of two columns without key": lambda size: f"{_T}CREATE QUERY q AS SELECT a FROM t WHERE {' OR '.join(f'b = {at} AND c = {at}' for at in range(3_000))} LIMIT 5;",
    "ORs of 60": _queries(lambda number: f"SELECT a FROM t WHERE {' OR '.join(f'a = {at} AND b = {number}' for at in range(60))}"),
    "ORs in an AND": _queries(lambda number: "SELECT a FROM t WHERE " + " AND ".join(f"(a = {at} OR b = {number})" for at in range(30))),
    "an AND of 2,000": lambda size: f"{_T}CREATE QUERY q AS SELECT a FROM t WHERE a = 1 AND {' AND '.join(f'b <> {at}' for at in range(1_990))};",
    "ANDs of 2,000": _queries(lambda number: f"SELECT a FROM t WHERE a = 1 AND {' AND '.join(f'b <> {at}' for at in range(1_990))}"),
    "refused ANDs of 2,000": _queries(lambda number: f"SELECT a FROM t WHERE {' AND '.join(f'b <> {at}' for at in range(1_990))}"),
    "ANDs of 2,000 equalities": _queries(lambda number: f"SELECT a FROM t WHERE {' AND '.join(f'b = {at}' for at in range(1_990))}"),
    "ANDs of 2,000 parameters": _queries(lambda number: f"SELECT a FROM t WHERE {' AND '.join(f'b = [p{at}]' for at in range(1_990))}"),
    "ANDs of 2,000 in a join": _queries(lambda number: f"SELECT x.a FROM t x JOIN t y ON y.a = x.b WHERE x.a = 1 AND {' AND '.join(f'x.b <> y.c + {at}' for at in range(1_990))}"),
    "ANDs of 100": _queries(lambda number: f"SELECT a FROM t WHERE a = {number} AND {' AND '.join(f'b <> {at}' for at in range(100))}"),
    "sums": _queries(lambda number: f"SELECT a + {' + '.join(map(str, range(60)))} AS s FROM t WHERE a = {number}"),
    "many parameters": lambda size: many(lambda at: f"b <> [p{at}]", min(size, 20_000), _T + "CREATE QUERY q AS SELECT a FROM t WHERE a = 1 AND ", ";", " AND "),
    "lists of parameters": lambda size: f"{_T}CREATE QUERY q AS SELECT a FROM t WHERE a IN ({', '.join(f'[p{at}]' for at in range(12_000))});",
    "parameters with ordinals": lambda size: f"{_T}CREATE QUERY q AS SELECT a FROM t WHERE a IN ({', '.join(f'[{at + 1}: p{at}]' for at in range(8_000))});",
    "many outputs": lambda size: f"{_T}CREATE QUERY q AS SELECT {', '.join(f'a + {at} AS c{at}' for at in range(4_900))} FROM t WHERE a = 1;",
    "many stars": _queries(lambda number: f"SELECT {', '.join(['*'] * 1200)} FROM t WHERE a = 1"),
    "many sort keys": _queries(lambda number: f"SELECT a FROM t WHERE b = 1 ORDER BY {', '.join(f'a + {at}' for at in range(999))} LIMIT 5"),
    "many groups": _queries(lambda number: f"SELECT COUNT(*) AS n FROM t WHERE a = 1 GROUP BY {', '.join(f'a + {at}' for at in range(999))}"),
    "nested functions": _queries(lambda number: "SELECT " + _nested(45, "LOWER(", ")", "d") + f" AS x FROM t WHERE a = {number}"),
    "nested parentheses": _queries(lambda number: "SELECT a FROM t WHERE " + _nested(45, "(", ")", f"a = {number}")),
    "nested NOT": _queries(lambda number: "SELECT a FROM t WHERE a = 1 AND " + _nested(20, "NOT (b = 1 OR ", ")", f"c = {number}")),
    "token searches": _queries(lambda number: f"SELECT a FROM t WHERE d LIKE [w] AND b = {number} LIMIT 5"),
    # schemas
    "tables": lambda size: many(lambda at: f"CREATE TABLE t{at} (a INT PRIMARY KEY, b INT);\n", size),
    "tables with limits": lambda size: many(lambda at: f"CREATE TABLE t{at} (a INT PRIMARY KEY, b INT, c INT, CARDINALITY LIMIT 5 (b), CARDINALITY LIMIT 9 (c), UNIQUE (b, c));\n", size),
    "tables with foreign keys": lambda size: many(lambda at: f"CREATE TABLE t{at} (a INT PRIMARY KEY, b INT REFERENCES t{at + 1} MAX 5, c INT REFERENCES t{max(at - 1, 0)});\n", size),
    "tables that refer to one": lambda size: many(lambda at: f"CREATE TABLE t{at} (a INT PRIMARY KEY, b INT REFERENCES t0 MAX 5);\n", size),
    "tables without a key": lambda size: many(lambda at: f"CREATE TABLE t{at} (a INT, b INT);\n", size),
    "tables of unknown types": lambda size: many(lambda at: f"CREATE TABLE t{at} (a INTT PRIMARY KEY, b FOO);\n", size),
    "tables that refer to nothing": lambda size: many(lambda at: f"CREATE TABLE t{at} (a INT PRIMARY KEY, b INT REFERENCES u{at});\n", size),
    "tables with broken limits": lambda size: many(lambda at: f"CREATE TABLE t{at} (a INT PRIMARY KEY, CARDINALITY LIMIT 0 (b), CARDINALITY LIMIT 5 (x));\n", size),
    "tables of 990 columns": lambda size: many(lambda at: f"CREATE TABLE t{at} (a INT PRIMARY KEY, {_columns(at)});\n", size),
    "a table of too many columns": _list("CREATE TABLE u (", lambda at: f"c{at} INT", ");", schema=""),
    "a table of 490 limits": lambda size: "CREATE TABLE t (a INT PRIMARY KEY, " + ", ".join(f"c{at} INT" for at in range(490)) + ", " + ", ".join(f"CARDINALITY LIMIT {at + 1} (c{at})" for at in range(490)) + ");\nCREATE QUERY q AS SELECT a FROM t WHERE c5 = 1 AND c6 = 2;\n",
    "a table of 490 limits of two": lambda size: "CREATE TABLE t (a INT PRIMARY KEY, " + ", ".join(f"c{at} INT" for at in range(490)) + ", " + ", ".join(f"CARDINALITY LIMIT {at + 1} (c{at}, c{(at * 7 + 1) % 490})" for at in range(490)) + ");\n",
    "tables of 490 limits": lambda size: many(lambda number: f"CREATE TABLE t{number} (a INT PRIMARY KEY, " + ", ".join(f"c{at} INT" for at in range(490)) + ", " + ", ".join(f"CARDINALITY LIMIT {at + 1} (c{at})" for at in range(490)) + ");\n", size),
    "a table of 490 uniques": lambda size: "CREATE TABLE t (a INT PRIMARY KEY, " + ", ".join(f"c{at} INT" for at in range(490)) + ", " + ", ".join(f"UNIQUE (c{at}, c{(at + 1) % 490})" for at in range(490)) + ");\n",
    "a table of 490 foreign keys": lambda size: "CREATE TABLE u (a INT PRIMARY KEY);\nCREATE TABLE t (a INT PRIMARY KEY, " + ", ".join(f"c{at} INT REFERENCES u MAX 5" for at in range(490)) + ");\n" + "".join(f"CREATE QUERY q{at} AS INSERT INTO t (a, c{at}) VALUES ([a], [c]);\n" for at in range(490)),
    "writes of a table of 490 limits": lambda size: many(lambda number: f"CREATE QUERY q{number} AS DELETE FROM t WHERE a = [a] AND c1 = {number};\n", size, "CREATE TABLE t (a INT PRIMARY KEY, " + ", ".join(f"c{at} INT" for at in range(490)) + ", " + ", ".join(f"CARDINALITY LIMIT {at + 1} (c{at})" for at in range(490)) + ");\n"),
    "reads of a table of 490 limits": lambda size: many(lambda number: f"CREATE QUERY q{number} AS SELECT a FROM t WHERE c{number % 490} = [a] AND c{number % 489} = {number};\n", size, "CREATE TABLE t (a INT PRIMARY KEY, " + ", ".join(f"c{at} INT" for at in range(490)) + ", " + ", ".join(f"CARDINALITY LIMIT {at + 1} (c{at})" for at in range(490)) + ");\n"),
    "wide reads": lambda size: many(lambda number: f"CREATE QUERY q{number} AS SELECT * FROM t WHERE a = {number};\n", size, f"CREATE TABLE t (a INT PRIMARY KEY, {_columns(0)});\n"),
    "reads of 100 columns": lambda size: many(lambda number: f"CREATE QUERY q{number} AS SELECT * FROM t WHERE a = {number};\n", size, "CREATE TABLE t (a INT PRIMARY KEY, " + ", ".join(f"c{at} INT" for at in range(99)) + ");\n"),
    "reads of 30 columns": lambda size: many(lambda number: f"CREATE QUERY q{number} AS SELECT * FROM t WHERE a = {number};\n", size, "CREATE TABLE t (a INT PRIMARY KEY, " + ", ".join(f"c{at} INT" for at in range(29)) + ");\n"),
    "wide joins": lambda size: many(lambda number: f"CREATE QUERY q{number} AS SELECT x.*, y.* FROM t x JOIN t y ON y.a = x.c0_1 WHERE x.a = {number} ORDER BY y.c0_3;\n", size, f"CREATE TABLE t (a INT PRIMARY KEY, {_columns(0)});\n"),
    "indexes by hand": lambda size: many(lambda at: f"CREATE INDEX i{at} ON t (b, c) COVERING (d);\n", size, _T),
    "indexes by hand of many columns": lambda size: many(lambda at: f"CREATE INDEX i{at} ON t (c0_{at % 990}, c0_{at * 7 % 990});\n", size, f"CREATE TABLE t (a INT PRIMARY KEY, {_columns(0)});\n"),
    "indexes that queries need": lambda size: many(lambda at: f"CREATE QUERY q{at} AS SELECT a FROM t WHERE c0_{at % 990} = 1 AND c0_{at * 7 % 990} = 1 ORDER BY c0_{at * 11 % 990} LIMIT 5;\n", size, f"CREATE TABLE t (a INT PRIMARY KEY, {_columns(0)});\n"),
    "indexes that share a prefix": lambda size: many(lambda at: f"CREATE QUERY q{at} AS SELECT a FROM t WHERE c0_0 = 1 ORDER BY c0_{at % 990}, c0_{at * 7 % 990} LIMIT 5;\n", size, f"CREATE TABLE t (a INT PRIMARY KEY, {_columns(0)});\n"),
    "indexes in either order": lambda size: many(lambda at: f"CREATE QUERY q{at} AS SELECT a FROM t WHERE c0_{at % 9} = 1 AND c0_{9 + at % 7} = 1 AND c0_{20 + at % 5} = 2 ORDER BY c0_{30 + at % 11} {'DESC' if at % 2 else ''} LIMIT 5;\n", size, f"CREATE TABLE t (a INT PRIMARY KEY, {_columns(0)});\n"),
    "one query for each table": lambda size: many(lambda at: f"CREATE TABLE t{at} (a INT PRIMARY KEY, b INT);\nCREATE QUERY q{at} AS SELECT a FROM t{at} WHERE b = 1 LIMIT 5;\n", size),
    # the ENTITY dialect
    "entities": lambda size: many(lambda at: f"ENTITY E{at} {{ int a, string b, PRIMARY(a) }}\n", size),
    "entities with references": lambda size: many(lambda at: f"ENTITY E{at} {{ int a, FOREIGN KEY o REF E{max(at - 1, 0)} MAX 5, PRIMARY(a) }}\n", size),
    "one entity again and again": _repeated("ENTITY E { int a, PRIMARY(a) }\n"),
    "FETCH": lambda size: many(lambda at: f"QUERY q{at} FETCH P OF E BY owner WHERE E = [this]\n", size, "ENTITY E { int a, PRIMARY(a) }\nENTITY P { int p, FOREIGN KEY owner REF E MAX 5, PRIMARY(p) }\n"),
    "FETCH of a misspelt entity": lambda size: many(lambda at: f"QUERY q{at} FETCH PP OF E BY owner WHERE E = [this]\n", size, "ENTITY E { int a, PRIMARY(a) }\nENTITY P { int p, FOREIGN KEY owner REF E MAX 5, PRIMARY(p) }\n"),
    "FETCH of nothing": lambda size: many(lambda at: f"QUERY q{at} FETCH P{at}\n", size, "ENTITY P { int p, PRIMARY(p) }\n"),
    "refused FETCH": lambda size: many(lambda at: f"QUERY q{at} FETCH P WHERE n > {at}\n", size, "ENTITY P { int p, int n, PRIMARY(p) }\n"),
    "FETCH of 60 steps": lambda size: many(lambda at: f"QUERY q{at} FETCH " + " OF ".join(f"P x{step} BY owner" for step in range(60)) + " OF P y BY owner WHERE y = [this]\n", size, "ENTITY P { int p, FOREIGN KEY owner REF P MAX 5, PRIMARY(p) }\n"),
    "CONTAINS": lambda size: many(lambda at: f"QUERY q{at} FETCH P WHERE P.n CONTAINS [word] ORDER BY P.p LIMIT {at + 1}\n", size, "ENTITY P { int p, string n, PRIMARY(p) }\n"),
    # what is wide, named alike, or said again and again within one statement
    "long misspelt names": _queries(lambda number: f"SELECT a FROM {'t' * 300}{number} WHERE a = 1", "".join(f"CREATE TABLE {'t' * 300}x{at} (a INT PRIMARY KEY);\n" for at in range(300))),
    "misspelt columns of a wide table": _queries(lambda number: f"SELECT cc{number} FROM w WHERE a = {number}", _WIDE),
    "columns of one name": lambda size: many(lambda at: f"CREATE TABLE t{at} (a INT PRIMARY KEY, {', '.join(['b INT'] * 900)});\n", size),
    "keys of 32 columns": lambda size: many(lambda number: f"CREATE QUERY q{number} AS SELECT c1 FROM k WHERE c0 = {number} AND c1 = 2 LIMIT 5;\n", size, _key(32)),
    "a key of 900 columns": lambda size: many(lambda number: f"CREATE QUERY q{number} AS SELECT c1 FROM k WHERE c0 = {number} AND c1 = 2 LIMIT 5;\n", size, _key(900)),
    "gets of a key of 32 columns": lambda size: many(lambda number: f"CREATE QUERY q{number} AS SELECT c1 FROM k WHERE {' AND '.join(f'c{at} = {number}' for at in range(32))};\n", size, _key(32)),
    "updates of 900 columns": _queries(lambda number: f"UPDATE w SET {', '.join(f'c{at} = {number}' for at in range(900))} WHERE a = 1", _WIDE),
    "inserts of 900 columns": _queries(lambda number: f"INSERT INTO w (a, {', '.join(f'c{at}' for at in range(900))}) VALUES ([a], {', '.join(f'[c{at}]' for at in range(900))})", _WIDE),
    "rows of values": _queries(lambda number: f"SELECT a FROM t WHERE (a, b) IN ({', '.join(f'({at}, {number})' for at in range(500))})"),
    "a list of rows of values": _list("CREATE QUERY q AS SELECT a FROM t WHERE (a, b) IN (", lambda at: f"({at}, {at})", ");"),
    "BETWEENs": _queries(lambda number: f"SELECT a FROM t WHERE a = {number} AND {' AND '.join(f'b BETWEEN {at} AND {at + 5}' for at in range(500))}"),
    "sums of many": _queries(lambda number: f"SELECT {', '.join(f'SUM(b + {at}) AS s{at}' for at in range(100))} FROM t WHERE a = {number}"),
    "MIN and MAX": _queries(lambda number: f"SELECT MIN(c) AS x, MAX(c) AS y FROM t WHERE b = {number}"),
    "MAX of joins": _queries(lambda number: f"SELECT x.c, MAX(y.c) AS m FROM t x JOIN t y ON y.c = x.b WHERE x.a = {number} GROUP BY x.c", _KEYED),
    "newest rows": _queries(lambda number: f"SELECT x.a FROM t x WHERE x.c = (SELECT MAX(y.c) FROM t y WHERE y.b = {number}) AND x.b = {number}", _KEYED),
    "sums of subqueries": _queries(lambda number: f"SELECT x.a, (SELECT COUNT(*) FROM t y WHERE y.b = x.a) AS n, (SELECT MAX(y.c) FROM t y WHERE y.b = x.a) AS m FROM t x WHERE x.a = {number}", _KEYED),
    "derived unions": _queries(lambda number: f"SELECT d.a FROM (SELECT a, b FROM t WHERE a = {number} UNION ALL SELECT a, b FROM t WHERE a = 2) d ORDER BY d.b LIMIT 5"),
    "deletes of what 500 tables refer to": lambda size: many(lambda number: f"CREATE QUERY q{number} AS DELETE FROM t0 WHERE a = [a];\n", size, "CREATE TABLE t0 (a INT PRIMARY KEY);\n" + "".join(f"CREATE TABLE t{at} (a INT PRIMARY KEY, b INT REFERENCES t0 MAX 5);\n" for at in range(1, 500))),
    "quoted names": _queries(lambda number: f'SELECT "a" FROM "t" WHERE "a" = 1 AND "b" <> [p{number}]'),
    "CRLF": lambda size: SHAPES["queries by key"](size).replace("\n", "\r\n"),
    "letters of other scripts": lambda size: many(lambda at: f"CREATE QUERY ä{at}ß AS SELECT größe FROM straße WHERE größe = 'é€😀{at}';\n", size, "CREATE TABLE straße (größe VARCHAR(20) PRIMARY KEY);\n"),
    "one line of faults": lambda size: many(lambda at: f"CREATE QUERY q{at} AS SELECT '😀' AS x, nothing FROM t WHERE a = 1; ", size, _T.replace("\n", " ")),
    "commas": lambda size: f"{_T}CREATE QUERY q AS SELECT a{',' * size}",
    "queries without semicolons": lambda size: many(lambda at: f"CREATE QUERY q{at} AS SELECT a FROM t WHERE a = {at}\n", size, _T),
}  # fmt: skip


def user_seconds() -> float:
    """Return the processor time of this process, without that of the system."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


def yardstick() -> float:
    """Return the milliseconds of a loop that always does the same."""
    started = user_seconds()
    counts: dict[int, int] = {}
    for number in range(400_000):
        counts[number % 1000] = (number, counts.get(number % 777, 0))[0]
    return (user_seconds() - started) * 1000


def measure(name: str) -> None:
    """Compile the text of one shape and print a line: its time, that of the loop, and how many queries are bounded."""
    text = SHAPES[name](MEGABYTE)
    before = yardstick()
    started = user_seconds()
    compilation = piql.compile(text)
    for finding in compilation.diagnostics:
        assert finding.span.line * finding.span.utf16_column > 0  # as every editor asks
    seconds = user_seconds() - started
    loop = (before + yardstick()) / 2
    bounded = sum(query.is_bounded for query in compilation.queries.values())
    counted = f"{len(compilation.queries):>6} queries, {bounded:>5} bounded"
    mark = "  over" if seconds > SECONDS else ""
    print(f"{name:<42}{seconds:>6.2f} s, loop {loop:>3.0f} ms{counted}{mark}", flush=True)


def main() -> None:
    words = sys.argv[1:]
    processes = multiprocessing.get_context("fork")  # the compiler is loaded, and has seen no text yet
    for name in SHAPES:
        if not words or any(word in name for word in words):
            child = processes.Process(target=measure, args=(name,))
            child.start()
            child.join()


if __name__ == "__main__":
    main()
