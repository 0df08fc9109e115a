"""The examples of the codes, mended: for each code without a fix of the compiler, what to replace in its example.

A test compiles every mended example: the code must be gone, and no error may be left.
"""

from __future__ import annotations

Replacement = tuple[str, str]

_TABLE = "CREATE TABLE t (\n  id INT PRIMARY KEY\n);\n\n"

MENDED: dict[str, tuple[Replacement, ...]] = {
    "syntax-error": (
        ("CREATE QUERY", "CREATE TABLE users (username VARCHAR(32) PRIMARY KEY);\nCREATE QUERY"),
        ("FORM users", "FROM users WHERE username = [who]"),
    ),
    "unclosed-quote": (("'red;", "'red' LIMIT 10;"),),
    "unclosed-comment": (("and more", "and more */"),),
    "unknown-character": (("price$", '"price$"'),),
    "nesting-too-deep": (("CREATE QUERY", _TABLE + "CREATE QUERY"), ("(" * 60 + "id = 1" + ")" * 60, "id = 1")),
    "too-many": (
        ("CREATE QUERY", _TABLE + "CREATE QUERY"),
        ("+".join("1" * 70) + " FROM t", "id + 70 AS n FROM t WHERE id = [id]"),
    ),
    "read-policy": ((" WITH READ EVENTUAL", ""),),
    "unit-form": (("BEGIN END", "BEGIN DELETE FROM t WHERE a = 1 AND b = 1; END"),),
    "bad-number": (("LIMIT 0", "LIMIT 20"),),
    "not-in-piql": ((" ON DELETE CASCADE", ""),),
    "parameter-style": (("[least]", "?"),),
    "duplicate-table": (("TABLE T", "TABLE other"),),
    "duplicate-setting": (("SET expensive_rows = 6000;", ""),),
    "duplicate-index": (("INDEX i ON t (a DESC)", "INDEX largest_first ON t (a DESC)"),),
    "view-form": (("AVG(n) AS average", "SUM(n) AS total"),),
    "check-form": (("CURRENT_DATE", "DATE '2100-01-01'"),),
    "write-to-view": (("DELETE FROM v\nWHERE a = 1", "DELETE FROM t\nWHERE id = 1"),),
    "duplicate-constraint": (("CONSTRAINT few UNIQUE", "CONSTRAINT one UNIQUE"),),
    "duplicate-column": (("id TEXT", "name TEXT"),),
    "duplicate-key": (("a INT PRIMARY KEY,\n  b INT PRIMARY KEY", "a INT,\n  b INT,\n  PRIMARY KEY (a, b)"),),
    "null-in-key": ((" NULL", ""),),
    "foreign-key-columns": (("a  INT REFERENCES u (a)", "a  INT,\n  b  INT,\n  FOREIGN KEY (a, b) REFERENCES u"),),
    "endless-key": (("FOREIGN KEY b REF B,\n  PRIMARY(b)", "int id,\n  FOREIGN KEY b REF B,\n  PRIMARY(id)"),),
    "duplicate-query": (("QUERY q AS\nSELECT a", "QUERY other AS\nSELECT a"),),
    "function-arguments": (("LOWER(a)", "LOWER(name)"),),
    "ambiguous-column": (("WHERE a = 1", "WHERE t.id = 1 AND t.a = 1"),),
    "ambiguous-step": (
        (
            "QUERY q\nFETCH p\n  OF p x BY other\nWHERE x = [this]",
            "CREATE QUERY q AS\nSELECT y.id\nFROM p x JOIN p y ON y.id = x.other\nWHERE x.id = [this];",
        ),
    ),
    "duplicate-alias": (("JOIN t ON t.id = t.a", "JOIN t other ON other.id = t.a\nWHERE t.id = [id]"),),
    "missing-from": (("CREATE QUERY", _TABLE + "CREATE QUERY"), ("SELECT 1", "SELECT id\nFROM t\nWHERE id = 1")),
    "missing-alias": (("WHERE id = 1)", "WHERE id = 1) AS one"),),
    "type-mismatch": (("'one'", "1"),),
    "not-a-condition": (("WHERE a", "WHERE id = [id] AND a = 1"),),
    "null-comparison": (("a = NULL", "a IS NULL"),),
    "row-value": (("(1, 2, 3)", "(1, 2)"),),
    "subquery-columns": (("SELECT id, a FROM", "SELECT a FROM"),),
    "union-columns": (("SELECT id\nFROM", "SELECT id, a\nFROM"),),
    "aggregate-misuse": (("WHERE COUNT(*) > 1", "WHERE id = 1\nGROUP BY id\nHAVING COUNT(*) > 1"),),
    "not-grouped": (("WHERE id = 1", "WHERE id = 1\nGROUP BY a"),),
    "distinct-order": (("DISTINCT a", "DISTINCT a, name"),),
    "token-search": (("'red sea'", "'red'"),),
    "window-function": (("ROW_NUMBER() OVER (ORDER BY id) AS n", "id"),),
    "max-without-use": ((" MAX 5", ""),),
    "parameter-type-unknown": (("SELECT [1: x] AS x\nFROM t\nWHERE id = 1", "SELECT id\nFROM t\nWHERE id = [1: x]"),),
    "parameter-conflict": (("name = [1: x]", "name = [2: name]"),),
    "parameter-ordinal": (("[2: x]", "[1: x]"),),
    "bulk-write": (("WHERE a = [1: a]", "WHERE a = [1: a] AND b = [2: b]"),),
    "key-update": (("SET b = 2", "SET n = 2"),),
    "conflict-target": (("(a)", "(a, b)"),),
    "value-count": (("(a, b)\nVALUES (1)", "(a, b, n)\nVALUES (1, 2, 3)"),),
    "missing-value": (("(a, b)\nVALUES (1, 2)", "(a, b, n)\nVALUES (1, 2, 3)"),),
    "null-value": (("(1, 2, NULL)", "(1, 2, 3)"),),
    "column-as-value": (("red", "'red'"),),
    "subquery-place": (
        ("AND EXISTS", "WHERE EXISTS"),
        ("WHERE f.owner", "AND f.owner"),
    ),
    "hot-partition": (("ORDER BY", "WHERE hometown = [town]\nORDER BY"),),
    "expensive-query": (("5000", "500"),),
    "expensive-write": (("VARCHAR(4000)", "VARCHAR(400)"),),
    "unsized-column": (("TEXT", "VARCHAR(1000)"),),
    "never-true": (("AND owner = 'bob'", "AND target = 'bob'"),),
    "indistinct-page": (
        ("SELECT d.since", "SELECT d.owner, d.target, d.since"),
        ("SELECT since", "SELECT owner, target, since"),
    ),
    "missing-index": (),
}
