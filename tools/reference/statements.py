"""statements.md: the grammar, the keywords, the limits of a text, and what is left out of SQL and CQL."""

from __future__ import annotations

from collections.abc import Iterator

import piql
from piql.compiler.syntax.cursor import MAX_CHAIN, MAX_ELEMENTS, MAX_KEY_COLUMNS, MAX_NESTING, RESERVED
from piql.compiler.syntax.lexer import MAX_FINDINGS
from piql.compiler.syntax.queries import MAX_TABLES

from reference.grammar import LEXICAL, SECTIONS, keywords
from reference.markdown import block, code, codes, table

_SCHEMA = "CREATE TABLE t (id INT PRIMARY KEY, a INT, name TEXT);\nCREATE TABLE u (id INT PRIMARY KEY);\n"

# What SQL and CQL have and PIQL refuses; the compiler itself says what to write instead.
LEFT_OUT: tuple[tuple[str, str], ...] = (
    ("OFFSET", "CREATE QUERY q AS SELECT id FROM t ORDER BY id LIMIT 10 OFFSET 20;"),
    ("LIMIT of two numbers", "CREATE QUERY q AS SELECT id FROM t ORDER BY id LIMIT 20, 10;"),
    ("TOP", "CREATE QUERY q AS SELECT TOP 10 id FROM t ORDER BY id;"),
    ("LIKE with a pattern", "CREATE QUERY q AS SELECT id FROM t WHERE name LIKE '%red%' LIMIT 10;"),
    ("WITH WRITE ONE", "CREATE QUERY q WITH WRITE ONE AS DELETE FROM t WHERE id = 1;"),
    ("ILIKE", "CREATE QUERY q AS SELECT id FROM t WHERE name ILIKE '%red%' LIMIT 10;"),
    ("OVER", "CREATE QUERY q AS SELECT ROW_NUMBER() OVER (ORDER BY id) AS n FROM t WHERE id = 1;"),
    ("CONVERT", "CREATE QUERY q AS SELECT CONVERT(a, TEXT) AS x FROM t WHERE id = 1;"),
    ("ANY", "CREATE QUERY q AS SELECT id FROM t WHERE id = ANY (SELECT id FROM u WHERE id = 1);"),
    ("IS TRUE", "CREATE QUERY q AS SELECT id FROM t WHERE id = 1 AND (a = 1) IS TRUE;"),
    ("FOR UPDATE", "CREATE QUERY q AS SELECT id FROM t WHERE id = 1 FOR UPDATE;"),
    ("FOR SHARE", "CREATE QUERY q AS SELECT id FROM t WHERE id = 1 FOR SHARE;"),
    ("RIGHT JOIN", "CREATE QUERY q AS SELECT t.id FROM t RIGHT JOIN u ON u.id = t.a;"),
    ("FULL JOIN", "CREATE QUERY q AS SELECT t.id FROM t FULL JOIN u ON u.id = t.a;"),
    ("NATURAL JOIN", "CREATE QUERY q AS SELECT t.id FROM t NATURAL JOIN u;"),
    ("INTERSECT", "CREATE QUERY q AS SELECT id FROM t WHERE id = 1 INTERSECT SELECT id FROM u WHERE id = 1;"),
    ("EXCEPT", "CREATE QUERY q AS SELECT id FROM t WHERE id = 1 EXCEPT SELECT id FROM u WHERE id = 1;"),
    ("ON DELETE", "CREATE TABLE x (id INT PRIMARY KEY, a INT REFERENCES t ON DELETE CASCADE);"),
    ("ON UPDATE", "CREATE TABLE x (id INT PRIMARY KEY, a INT REFERENCES t ON UPDATE CASCADE);"),
    ("CREATE UNIQUE INDEX", "CREATE UNIQUE INDEX i ON t (a);"),
    ("CREATE MATERIALIZED VIEW", "CREATE MATERIALIZED VIEW v AS SELECT id FROM t;"),
    ("ALTER", "ALTER TABLE t ADD COLUMN b INT;"),
    ("DROP", "DROP TABLE t;"),
    ("ON CONFLICT … WHERE", "CREATE QUERY q AS INSERT INTO t (id) VALUES (1) ON CONFLICT (id) WHERE a = 1 DO NOTHING;"),
    (
        "ON CONFLICT ON CONSTRAINT",
        "CREATE QUERY q AS INSERT INTO t (id) VALUES (1) ON CONFLICT ON CONSTRAINT c DO NOTHING;",
    ),
    ("ON DUPLICATE KEY UPDATE", "CREATE QUERY q AS INSERT INTO t (id) VALUES (1) ON DUPLICATE KEY UPDATE a = 1;"),
    ("expressions in RETURNING", "CREATE QUERY q AS UPDATE t SET a = 1 WHERE id = 1 RETURNING a + 1;"),
    ("UPDATE … IF EXISTS", "CREATE QUERY q AS UPDATE t SET a = 1 WHERE id = 1 IF EXISTS;"),
    ("DELETE … IF EXISTS", "CREATE QUERY q AS DELETE FROM t WHERE id = 1 IF EXISTS;"),
    ("ALLOW FILTERING", "CREATE QUERY q AS SELECT id FROM t WHERE id = 1 ALLOW FILTERING;"),
    ("PER PARTITION LIMIT", "CREATE QUERY q AS SELECT id FROM t WHERE id = 1 PER PARTITION LIMIT 1;"),
    ("USING TTL", "CREATE QUERY q AS INSERT INTO t (id) VALUES (1) USING TTL 60;"),
    ("USING TIMESTAMP", "CREATE QUERY q AS INSERT INTO t (id) VALUES (1) USING TIMESTAMP 60;"),
    ("BATCH", "BEGIN BATCH;"),
    ("PRIMARY KEY ((a, b), c)", "CREATE TABLE x (a INT, b INT, c INT, PRIMARY KEY ((a, b), c));"),
    ("WITH CLUSTERING ORDER BY", "CREATE TABLE x (a INT PRIMARY KEY) WITH CLUSTERING ORDER BY (a DESC);"),
    ("collections", "CREATE TABLE x (a INT PRIMARY KEY, b SET<INT>);"),
    ("keyspace.table", "CREATE TABLE k.x (a INT PRIMARY KEY);"),
    ("INSERT … SELECT", "CREATE QUERY q AS INSERT INTO t SELECT id FROM u;"),
    ("UPDATE of all rows", "CREATE QUERY q AS UPDATE t SET a = 1;"),
    ("DELETE of all rows", "CREATE QUERY q AS DELETE FROM t;"),
)


def pages() -> dict[str, str]:
    """Return the page about statements, by file name."""
    grammar = "\n\n".join(f"## {title}\n\n{block(text.strip(), 'ebnf')}" for title, text in SECTIONS.items())
    lexical = [(code(name), about) for name, (about, _) in LEXICAL.items()]
    unused = sorted(RESERVED - keywords())
    text = f"""
# Statements

The grammar in EBNF: `[ ]` may be left out, `{{ }}` may repeat or be left out, `|` separates alternatives, words in
quotes stand as they are. Keywords are read in any case. A statement ends with a semicolon; after ENTITY and FETCH it
may be left out.

{grammar}

## Words

{table(("in the grammar", "is"), lexical)}

A parameter may also be written `?`, or `$1`, `$2`, …, with its MAX where it is a list or a count. These are called
`p1`, `p2`, …: the first `?` of a statement and `$1` are `p1`. All parameters of one statement are written in one way.
`= ANY(list)` is `IN list`, and `<> ALL(list)` is `NOT IN list`.

A comment begins with `--` or `//` and ends with its line, or stands between `/*` and `*/`. Names are compared
without case; a name in double quotes or backticks may be any text, and means what is called exactly so. So does a name
in brackets, `[two words]`, where no parameter can stand: of a table and its alias, behind AS, before and behind a dot,
and in every list of columns. Elsewhere `[x]` is a parameter. Two tables, columns or
queries whose names differ only in case are refused: not every store tells them apart. Reserved, and so names only in
quotes:

{codes(sorted(RESERVED & keywords()))}

Reserved because SQL has them, though PIQL does not: {codes(unused)}. Every other word may be a name, also
`timestamp`, `text`, `key`, `date`, `count` and `max`.

## Left out

{table(("SQL's and CQL's", "code", "instead"), _left_out())}

## Limits of a text

| at most | of |
| --- | --- |
| {MAX_TABLES} | tables in one FROM, queries in one UNION, steps of one FETCH |
| {MAX_ELEMENTS:,} | columns and constraints of one table |
| {MAX_KEY_COLUMNS} | columns of one key, limit or index, values of one row |
| {MAX_NESTING} | parentheses, subqueries and NOTs inside one another |
| {MAX_CHAIN} | arithmetic operators in a row |
| {MAX_FINDINGS} | findings told of one file |
"""
    return {"statements.md": text}


def _left_out() -> Iterator[tuple[str, str, str]]:
    """Yield each construct with the code of its refusal and the compiler's own advice."""
    for construct, example in LEFT_OUT:
        errors = [
            diagnostic for diagnostic in piql.compile(_SCHEMA + example).diagnostics if diagnostic.severity == "error"
        ]
        first = errors[0]
        instead = "; ".join(first.help) or first.message
        yield code(construct) if construct.isupper() else construct, f"[{first.code}](codes/{first.code}.md)", instead
