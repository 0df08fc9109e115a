"""What binding finds in INSERT, UPDATE and DELETE."""

from piql.text.diagnostics.code import Code

_T = "CREATE TABLE t (a INT, b INT, n INT NOT NULL, name TEXT, PRIMARY KEY (a, b));\n"

CODES = (
    Code(
        "bulk-write",
        "Nothing says how many rows a write changes",
        "How many rows such a write changes depends on the data. Name one row by its whole primary key or by a UNIQUE "
        "key, or the rows that a limit, a list or a LIMIT bounds. INSERT takes at most 100 rows that stand in the "
        "text, or a list of them with its MAX. IF refuses the write of one row; a test of several rows stands in "
        "WHERE.",
        _T + "CREATE QUERY q AS DELETE FROM t;",
    ),
    Code(
        "key-update",
        "The primary key cannot change",
        "A row with another key is another row. Delete the old row and insert the new one.",
        _T + "CREATE QUERY q AS UPDATE t SET b = 2 WHERE a = 1 AND b = 1;",
    ),
    Code(
        "unit-form",
        "A unit cannot hold this",
        "A unit holds INSERT, UPDATE and DELETE, at least one, each with its semicolon. An execution returns the rows "
        "of one statement, so one may have RETURNING. A value that is read first is named by LET, with a type and a "
        "name of its own; a query whose rows the caller needs is executed apart from the unit.",
        _T + "CREATE UNIT u AS BEGIN END;",
    ),
    Code(
        "write-to-view",
        "A view is written",
        "The rows of a view follow from those of its table, in the same transaction. Write the table.",
        "CREATE TABLE t (id INT PRIMARY KEY, a INT NOT NULL);\n"
        "CREATE VIEW v AS SELECT a, COUNT(*) AS n FROM t GROUP BY a;\n"
        "CREATE QUERY q AS DELETE FROM v WHERE a = 1;",
    ),
    Code(
        "conflict-target",
        "ON CONFLICT names no key of the table",
        "ON CONFLICT asks whether a row with the same key exists. At most one row can have the values of the primary "
        "key or of a UNIQUE key, so name one of these. DO NOTHING may leave the key out: then every key counts.",
        _T + "CREATE QUERY q AS INSERT INTO t (a, b, n) VALUES (1, 2, 3) ON CONFLICT (a) DO UPDATE SET n = t.n + 1;",
    ),
    Code(
        "value-count",
        "The number of values and columns differs",
        "INSERT needs one value for each column that it names, or for each column of the table.",
        _T + "CREATE QUERY q AS INSERT INTO t (a, b) VALUES (1);",
    ),
    Code(
        "missing-value",
        "A column that needs a value gets none",
        "INSERT writes the whole row: columns that it does not name become NULL, and this one cannot be NULL. Add "
        "it to the columns of INSERT.",
        _T + "CREATE QUERY q AS INSERT INTO t (a, b) VALUES (1, 2);",
    ),
    Code(
        "null-value",
        "A column cannot hold NULL",
        "The column is NOT NULL, part of the primary key, or a foreign key that is not declared NULL. Write a value. "
        "Outside of the primary key you may also declare the column NULL.",
        _T + "CREATE QUERY q AS INSERT INTO t (a, b, n) VALUES (1, 2, NULL);",
    ),
    Code(
        "column-as-value",
        "A column is named where a value is expected",
        "VALUES and IF take literals and parameters. Write a text in single quotes; without quotes, or in double "
        "quotes, it is the name of a column.",
        _T + "CREATE QUERY q AS INSERT INTO t (a, b, n, name) VALUES (1, 2, 3, red);",
    ),
)
