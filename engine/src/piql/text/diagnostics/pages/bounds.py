"""What the optimizer, the planner and the index design find: why no bound exists, and what is costly though bounded."""

from piql.text.diagnostics.code import Code

_SCHEMA = (
    "CREATE TABLE users (username VARCHAR(32) PRIMARY KEY, hometown VARCHAR(64));\n"
    "CREATE TABLE follows (owner VARCHAR(32), target VARCHAR(32), since INT, PRIMARY KEY (owner, target));\n"
)

CODES = (
    Code(
        "unbounded-scan",
        "Nothing limits how many rows are read",
        "The rows that agree with the equalities of the query grow with the data. A CARDINALITY LIMIT on those "
        "columns says how many there can be; LIMIT or PAGINATE reads no more than asked.",
        _SCHEMA + "CREATE QUERY q AS SELECT target FROM follows WHERE owner = [me];",
    ),
    Code(
        "unbounded-join",
        "Nothing limits how many rows a join finds for one row",
        "For each row read so far, the join may find any number of rows. A CARDINALITY LIMIT on the columns of the "
        "join limits them, and so does LIMIT or PAGINATE where the order asked for can be read from an index.",
        _SCHEMA + "CREATE QUERY q AS SELECT f.target FROM users u JOIN follows f ON f.owner = u.username "
        "WHERE u.username = [me];",
    ),
    Code(
        "unbounded-product",
        "Two relations are multiplied",
        "No equality joins the two relations, so every row of one meets every row of the other, and nothing limits "
        "how many rows the second has. Join them by a column, or limit both.",
        _SCHEMA + "CREATE QUERY q AS SELECT a.username FROM users a, users b;",
    ),
    Code(
        "unbounded-aggregate",
        "A group of any size would be read",
        "Aggregates, GROUP BY and DISTINCT read all rows of their section, so LIMIT does not help: the section "
        "itself must be limited, by a CARDINALITY LIMIT on the columns that the query fixes. A count over a growing "
        "section can only be kept up to date by the writes.",
        _SCHEMA + "CREATE QUERY q AS SELECT COUNT(*) AS n FROM follows WHERE target = [who];",
    ),
    Code(
        "unbounded-sort",
        "An order that no index has",
        "LIMIT gives the first rows of an order. Where no index can hold that order, because it is computed or "
        "because a range on another column comes first, all rows must be read and sorted, and nothing limits how "
        "many they are.",
        _SCHEMA
        + "CREATE QUERY q AS SELECT target FROM follows WHERE owner = [me] AND since > 3 ORDER BY target LIMIT 10;",
    ),
    Code(
        "stop-blocked",
        "LIMIT counts rows that pass a test no index applies",
        "An index applies any equalities and one range. The rows that fail the other tests are read, too, and "
        "nothing limits how many they are.",
        _SCHEMA + "CREATE QUERY q AS SELECT target FROM follows WHERE owner = [me] AND target <> [who] LIMIT 10;",
    ),
    Code(
        "subquery-place",
        "A subquery stands where it cannot be joined",
        "EXISTS and IN (SELECT …) are read as joins, or mark each row with their answer. They may stand in WHERE, "
        "HAVING, the select list and the ON of an inner join; in the ON of a LEFT JOIN where the row on its left finds "
        "their answer. They are refused there where they read the table that is joined, in an aggregate, over columns "
        "that a group does not hold, and where a subquery of the subquery speaks of the outermost query; where it asks "
        "for no row (NOT EXISTS, NOT IN) inside of one that is read for each row; and in INSERT, UPDATE and DELETE, "
        "which read no row but their own.",
        _SCHEMA + "CREATE QUERY q AS SELECT f.target, u.hometown FROM follows f LEFT JOIN users u "
        "ON u.username = f.target AND EXISTS (SELECT 1 AS one FROM follows b WHERE b.owner = f.target "
        "AND b.target = u.hometown) WHERE f.owner = [me] AND f.target = [you];",
    ),
    Code(
        "hot-partition",
        "All reads and writes of an order meet in one place",
        "A read that fixes no column by equality follows one order of the whole table, which one partition of the "
        "store holds; one that fixes a flag, or a constant that stands in the query, reads the same partition each "
        "time. CREATE INDEX … BUCKETS b spreads it over b partitions, for b requests a read. A CARDINALITY LIMIT says "
        "that a partition stays small.",
        _SCHEMA + "CREATE QUERY q AS SELECT username FROM users ORDER BY username LIMIT 10;",
        severity="warning",
    ),
    Code(
        "unused-index",
        "An index is kept that no query reads",
        "CREATE INDEX keeps an index up to date with every write, whether it is read or not. Here neither a query of "
        "the set reads it nor a constraint is checked by it. The compiler makes the indexes that queries need by "
        "itself; one made by hand is for BUCKETS, or for statements of the interactive mode.",
        _SCHEMA + "CREATE INDEX by_since ON follows (since);\n"
        "CREATE QUERY q AS SELECT since FROM follows WHERE owner = [me] AND target = [you];",
        severity="info",
    ),
    Code(
        "primary-key-order",
        "A table is kept in two orders where one is enough",
        "A table is kept in the order of its primary key, and an index keeps the same columns in another order. With "
        "that order for its primary key, the table itself serves all queries, and each write keeps an index less. The "
        "key of a table that holds rows cannot change.",
        "CREATE TABLE thoughts (posted TIMESTAMP, owner VARCHAR(32), body VARCHAR(140), PRIMARY KEY (posted, owner));\n"
        "CREATE QUERY q AS SELECT posted, body FROM thoughts WHERE owner = [who] ORDER BY posted DESC LIMIT 10;",
        severity="info",
    ),
    Code(
        "unsized-column",
        "The bytes of a bound rest on an assumption",
        "TEXT and BLOB without a length can hold values of any size; the bound counts 64 KiB for each. Operations, "
        "round trips and rows are proven all the same. VARCHAR(n) gives bytes a proof, too.",
        "CREATE TABLE notes (id INT PRIMARY KEY, body TEXT);\nCREATE QUERY q AS SELECT body FROM notes WHERE id = 1;",
        severity="info",
    ),
    Code(
        "never-true",
        "A test that no row passes",
        "No value of the column passes this test, or none that passes another one: a = 1 AND a = 2, a > 5 AND a < 3, "
        "a = 1 AND a IS NULL. Tests of equal columns are held together, too. The query is bounded, makes no request "
        "for it and finds nothing; in the ON of a LEFT JOIN no row has a match. WHERE FALSE says the same on purpose.",
        _SCHEMA + "CREATE QUERY q AS SELECT target FROM follows WHERE owner = 'ada' AND owner = 'bob';",
        severity="warning",
    ),
    Code(
        "indistinct-page",
        "A page of rows that cannot be told apart",
        "A cursor holds the place of the last row of a page. Rows of a derived table, or of a UNION ALL of such, that "
        "are equal in every column have the same place, so some would be lost between two pages.",
        _SCHEMA + "CREATE QUERY q AS SELECT d.since FROM (SELECT since FROM follows WHERE owner = [me] LIMIT 50) d "
        "PAGINATE 10;",
    ),
    Code(
        "missing-index",
        "No index that is deployed serves this statement",
        "A statement of the interactive mode reads only indexes that exist. Give it a name with CREATE QUERY and "
        "deploy it: deploying makes the indexes of all queries and fills them.",
        _SCHEMA,
        statement="SELECT username FROM users WHERE hometown = 'Berkeley' LIMIT 3",
    ),
)
