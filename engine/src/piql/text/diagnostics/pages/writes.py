"""What binding finds in INSERT, UPDATE and DELETE."""

from piql.text.diagnostics.code import Code

_T = "CREATE TABLE t (a INT, b INT, n INT NOT NULL, name TEXT, PRIMARY KEY (a, b));\n"

CODES = (
    Code(
        "bulk-write",
        "A write names more than one row",
        "How many rows a write by condition changes depends on the data. Each write names one row by its whole "
        "primary key; read the keys with a bounded query first, and write them one by one. What else must hold of "
        "the row is tested by IF, behind WHERE.",
        _T + "CREATE QUERY q AS DELETE FROM t WHERE a = [1: a];",
    ),
    Code(
        "key-update",
        "The primary key cannot change",
        "A row with another key is another row: delete the one and insert the other.",
        _T + "CREATE QUERY q AS UPDATE t SET b = 2 WHERE a = 1 AND b = 1;",
    ),
    Code(
        "value-count",
        "There are more or fewer values than columns",
        "INSERT gives one value for each column that it names, or for each column of the table.",
        _T + "CREATE QUERY q AS INSERT INTO t (a, b) VALUES (1);",
    ),
    Code(
        "missing-value",
        "A column that needs a value gets none",
        "INSERT puts the whole row: columns not named become NULL, and this one cannot be NULL.",
        _T + "CREATE QUERY q AS INSERT INTO t (a, b) VALUES (1, 2);",
    ),
    Code(
        "null-value",
        "NULL goes into a column that cannot hold it",
        "The column is NOT NULL, part of the primary key, or a foreign key that is not declared NULL.",
        _T + "CREATE QUERY q AS INSERT INTO t (a, b, n) VALUES (1, 2, NULL);",
    ),
    Code(
        "column-as-value",
        "A column stands where a value belongs",
        "VALUES and IF hold literals and parameters. A text stands in single quotes; without them, or in double "
        "quotes, it is the name of a column.",
        _T + "CREATE QUERY q AS INSERT INTO t (a, b, n, name) VALUES (1, 2, 3, red);",
    ),
)
