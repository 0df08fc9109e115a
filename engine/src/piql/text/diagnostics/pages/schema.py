"""What binding finds in CREATE TABLE and CREATE INDEX."""

from piql.text.diagnostics.code import Code

CODES = (
    Code(
        "duplicate-table",
        "Two tables have one name",
        "Table names are unique in all files together. Upper and lower case do not make them different. The first "
        "table counts.",
        "CREATE TABLE t (id INT PRIMARY KEY);\nCREATE TABLE T (id INT PRIMARY KEY);",
    ),
    Code(
        "unknown-setting",
        "No setting has this name",
        "SET sets a number for the whole application: `expensive_requests`, `expensive_rows` and `expensive_bytes` say "
        "above which bound a query is called expensive.",
        "SET expensive_request = 5000;",
    ),
    Code(
        "duplicate-setting",
        "A setting is set twice",
        "Each setting has one value in an application. Leave one of the statements out.",
        "SET expensive_rows = 5000;\nSET expensive_rows = 6000;",
    ),
    Code(
        "duplicate-index",
        "Two indexes have one name",
        "Index names are unique in all files together. The first index counts.",
        "CREATE TABLE t (id INT PRIMARY KEY, a INT);\nCREATE INDEX i ON t (a);\nCREATE INDEX i ON t (a DESC);",
    ),
    Code(
        "view-form",
        "A view that no write could keep up to date",
        "A view holds a row for each group of one table, or of several that are joined where columns are equal, and "
        "each write to one of them changes the groups of its row. Of joined tables this must be few: where no key, "
        "CARDINALITY LIMIT or foreign key says so, the message names the limits that lack. "
        "LEFT JOIN finds one row or none, by its whole primary key. So a view"
        " is one SELECT with GROUP BY columns that are never NULL, or COALESCE(column, constant) with the value "
        "that stands for NULL, and with COUNT(*), and COUNT, SUM or AVG of columns. COUNT(*) says when a group has no "
        "rows any more, COUNT(column) when a SUM or an AVG is NULL, and SUM(column) what an AVG is after a write. Its "
        "WHERE compares columns with constants. Behind GROUP BY, WINDOW 1 HOUR BY 5 MINUTES says how long windows are "
        "and how far apart they begin; WINDOW_START(column) among the keys says by which time. STRIPES n makes each "
        "group n rows, of which a write changes one; AVG is not kept then. MIN and MAX are not kept, because an index "
        "finds them: once the row with the largest value is deleted, only the other rows can say which value is the "
        "largest.",
        "CREATE TABLE t (id INT PRIMARY KEY, a INT NOT NULL, n INT NOT NULL);\n"
        "CREATE VIEW v AS SELECT a, AVG(n) AS average, COUNT(*) AS rows_of_a FROM t GROUP BY a;",
    ),
    Code(
        "check-form",
        "A CHECK that asks for more than the row itself",
        "A CHECK is tested by each write that gives the row its values, without a request. So it is made of columns of "
        "its table, constants and functions of them. Other rows, parameters, and what changes by itself, such as "
        "CURRENT_DATE, are tested by the application, or by the IF of an UPDATE.",
        "CREATE TABLE t (id INT PRIMARY KEY, born DATE, CHECK (born <= CURRENT_DATE));",
    ),
    Code(
        "duplicate-constraint",
        "Two constraints have one name",
        "The name of a constraint tells which one a refused write has broken, so a table can use each name only once.",
        "CREATE TABLE t (a INT PRIMARY KEY, b INT, CONSTRAINT few CARDINALITY LIMIT 9 (b), CONSTRAINT few UNIQUE (b));",
    ),
    Code(
        "duplicate-column",
        "A column is named twice",
        "A table has each column once. A key, a limit or a write names each column once.",
        "CREATE TABLE t (id INT PRIMARY KEY, id TEXT);",
    ),
    Code(
        "duplicate-key",
        "A table has two primary keys",
        "A table has one PRIMARY KEY. Write several columns in one clause: PRIMARY KEY (owner, target).",
        "CREATE TABLE t (a INT PRIMARY KEY, b INT PRIMARY KEY);",
    ),
    Code(
        "missing-primary-key",
        "A table has no primary key",
        "The primary key finds, replaces and orders the rows, so every table must declare one.",
        "CREATE TABLE t (a INT);",
    ),
    Code(
        "null-in-key",
        "A primary key cannot be NULL",
        "The columns of a primary key are always NOT NULL. Remove NULL from the declaration.",
        "CREATE TABLE t (a INT NULL PRIMARY KEY);",
    ),
    Code(
        "unknown-type",
        "There is no such type",
        "The page of types lists all of them. For the type of another database the message offers the nearest one.",
        "CREATE TABLE t (id INT PRIMARY KEY, a VARCAR(20));",
    ),
    Code(
        "foreign-key-columns",
        "A foreign key does not name one row",
        "A foreign key must refer to the whole primary key of a table, or to a UNIQUE key, with one column for "
        "each of its columns. Then it names one row, and following it is one request.",
        "CREATE TABLE u (a INT, b INT, PRIMARY KEY (a, b));\n"
        "CREATE TABLE t (id INT PRIMARY KEY, a INT REFERENCES u (a));",
    ),
    Code(
        "endless-key",
        "A primary key refers to itself",
        "A foreign key of an ENTITY takes its types from the key that it refers to. Here that key contains the "
        "foreign key itself, directly or through other entities, so the types cannot be known.",
        "ENTITY A { FOREIGN KEY b REF B, PRIMARY(b) }\nENTITY B { FOREIGN KEY a REF A, PRIMARY(a) }",
    ),
)
