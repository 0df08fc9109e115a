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
        "As the data grows, more and more rows satisfy the equalities of the query. Declare a CARDINALITY LIMIT on "
        "those columns to say how many rows there can be, or add LIMIT or PAGINATE to read only the first rows.",
        _SCHEMA + "CREATE QUERY q AS SELECT target FROM follows WHERE owner = [me];",
    ),
    Code(
        "unbounded-join",
        "Nothing limits how many rows a join finds for one row",
        "For each row read so far, the join may find any number of rows. Declare a CARDINALITY LIMIT on the "
        "columns of the join. LIMIT or PAGINATE helps too, if an index has the rows in the order that the query "
        "asks for.",
        _SCHEMA + "CREATE QUERY q AS SELECT f.target FROM users u JOIN follows f ON f.owner = u.username "
        "WHERE u.username = [me];",
    ),
    Code(
        "unbounded-product",
        "Every row of one table is combined with every row of another",
        "No equality joins the two relations, so every row of one is combined with every row of the other, and "
        "nothing limits how many rows the second has. Join them by a column, or limit both.",
        _SCHEMA + "CREATE QUERY q AS SELECT a.username FROM users a, users b;",
    ),
    Code(
        "unbounded-aggregate",
        "A group of any size would be read",
        "Aggregates, GROUP BY and DISTINCT read all the rows below them, so a LIMIT above does not help. Limit "
        "those rows: declare a CARDINALITY LIMIT on the columns that the query fixes. For a count or a sum over rows "
        "without a limit, declare a view: every write keeps it up to date.",
        _SCHEMA + "CREATE QUERY q AS SELECT COUNT(*) AS n FROM follows WHERE target = [who];",
    ),
    Code(
        "unbounded-sort",
        "No index has this order",
        "LIMIT takes the first rows of an order. No index can have this order, because it is computed or because a "
        "range on another column comes first. So all rows would be read and sorted, and nothing limits how many "
        "they are.",
        _SCHEMA
        + "CREATE QUERY q AS SELECT target FROM follows WHERE owner = [me] AND since > 3 ORDER BY target LIMIT 10;",
    ),
    Code(
        "stop-blocked",
        "LIMIT counts rows that pass a test, but no index applies the test",
        "An index applies any number of equalities and one range. Rows that fail another test are read too, and "
        "nothing limits how many they are.",
        _SCHEMA + "CREATE QUERY q AS SELECT target FROM follows WHERE owner = [me] AND target <> [who] LIMIT 10;",
    ),
    Code(
        "subquery-place",
        "A subquery cannot be joined here",
        "EXISTS and IN (SELECT …) are read as joins, or mark each row with their answer. They are allowed in "
        "WHERE, HAVING, the select list and the ON of an inner join. In the ON of a LEFT JOIN they are allowed if "
        "they do not read columns of the joined table. They are not allowed in an aggregate, over columns that are "
        "not grouped by, and in UPDATE and DELETE, which read only their own row; in INSERT a subquery may stand for "
        "a value that is read first, but not name the new row. Inside a subquery they "
        "may not name the outermost query, and may not ask that no row exists (NOT EXISTS, NOT IN) if they are "
        "read for each row.",
        _SCHEMA + "CREATE QUERY q AS SELECT f.target, u.hometown FROM follows f LEFT JOIN users u "
        "ON u.username = f.target AND EXISTS (SELECT 1 AS one FROM follows b WHERE b.owner = f.target "
        "AND b.target = u.hometown) WHERE f.owner = [me] AND f.target = [you];",
    ),
    Code(
        "hot-partition",
        "All reads and writes of an order use one partition",
        "A read that fixes no column by an equality reads one order of the whole table, which is stored in one "
        "partition. A read that fixes only a flag, or a constant in the query, uses the same partition each time. "
        "CREATE INDEX … BUCKETS b spreads the rows over b partitions; each read then makes b requests. A "
        "CARDINALITY LIMIT says that a partition stays small.",
        _SCHEMA + "CREATE QUERY q AS SELECT username FROM users ORDER BY username LIMIT 10;",
        severity="warning",
    ),
    Code(
        "expensive-query",
        "The bound is very high",
        "The query has a bound, but one execution may make so many requests, or fetch so many rows or bytes, that it "
        "is slow for whoever has the most data, and takes the store's time from others. The warning names the limit "
        "that makes the bound large. A smaller limit, LIMIT or PAGINATE makes it cheaper. Above 1,000 requests, "
        "10,000 rows or 1,000,000 bytes a query is called expensive; `SET expensive_requests = 5000;` sets another "
        "number for the whole application (also `expensive_rows`, `expensive_bytes`), and `-- allow(expensive-query): "
        "why` above a query dismisses the warning.",
        _SCHEMA.replace("since INT,", "since INT, CARDINALITY LIMIT 5000 (owner),")
        + "CREATE QUERY q AS SELECT u.hometown FROM follows f JOIN users u ON u.username = f.target "
        "WHERE f.owner = [me];",
        severity="warning",
    ),
    Code(
        "expensive-write",
        "One write makes very many requests",
        "Each index, limit, UNIQUE and foreign key adds requests to every write of its table; an index of words adds "
        "some for each word that a text can hold. The parts of the bound say which constraint costs what. Fixes are "
        "offered where all queries of the set are accepted: they remove an index made by hand that no query reads, or "
        "a limit that no query needs for its bound, or let one execution write fewer rows. Each is compiled with all "
        "queries of its tables before: none gets a larger bound or a new warning. A foreign key or a UNIQUE is never "
        "removed, and no number of a limit and no length of a column is lowered, since somebody needs so much. So "
        "there is no fix where the words of a long text are searched; a shorter column makes that write cheaper. "
        "Above 1,000 requests a write is called expensive; "
        "`SET expensive_requests = 5000;` sets another number for the whole application, and "
        "`-- allow(expensive-write): why` above a write dismisses the warning. An UPDATE is also called "
        "expensive where it makes ten times the requests to keep copies of a column: an index holds the "
        "columns that its queries read, and an index of words has an entry for each word. Each entry is put twice, "
        "so that no reader trusts one that its row contradicts. A query that names its columns without the changed "
        "one leaves the copies out, and that is the fix; it changes the answer of that query.",
        "CREATE TABLE articles (id INT PRIMARY KEY, body VARCHAR(4000));\n"
        "CREATE QUERY search AS SELECT id FROM articles WHERE body CONTAINS [word] LIMIT 10;\n"
        "CREATE QUERY add AS INSERT INTO articles (id, body) VALUES ([id], [body]);",
        severity="warning",
    ),
    Code(
        "unused-allow",
        "A comment allows a finding that is not there",
        "`-- allow(code): why` above a statement, or in it, dismisses a warning of that statement: it becomes a hint "
        "with the reason. Errors cannot be dismissed, and a reason must be given. A comment that dismisses nothing "
        "belongs to an earlier text, or is misspelt.",
        _SCHEMA + "-- allow(expensive-query): read once a night\n"
        "CREATE QUERY q AS SELECT hometown FROM users WHERE username = [me];",
        severity="warning",
    ),
    Code(
        "unused-index",
        "No query reads an index",
        "CREATE INDEX keeps an index up to date with every write, whether it is read or not. Here no query reads "
        "it and no constraint is checked by it. The compiler makes the indexes that queries need by itself. Create "
        "one by hand only for BUCKETS, or for statements of the interactive mode.",
        _SCHEMA + "CREATE INDEX by_since ON follows (since);\n"
        "CREATE QUERY q AS SELECT since FROM follows WHERE owner = [me] AND target = [you];",
        severity="info",
    ),
    Code(
        "primary-key-order",
        "A table is stored in two orders where one is enough",
        "The table is stored in the order of its primary key, and an index stores the same columns in another "
        "order. With that order as its primary key, the table alone serves all queries, and each write updates one "
        "index fewer. The key of a table that holds rows cannot change.",
        "CREATE TABLE thoughts (posted TIMESTAMP, owner VARCHAR(32), body VARCHAR(140), PRIMARY KEY (posted, owner));\n"
        "CREATE QUERY q AS SELECT posted, body FROM thoughts WHERE owner = [who] ORDER BY posted DESC LIMIT 10;",
        severity="info",
    ),
    Code(
        "unsized-column",
        "The bytes of a bound rest on an assumption",
        "TEXT and BLOB without a length can hold values of any size, and the bound of each query that fetches one "
        "counts 64 KiB for it. Operations, round trips and rows are proven all the same. Write VARCHAR(n) to prove the "
        "bytes too. The column is named once, however many queries fetch it.",
        "CREATE TABLE notes (id INT PRIMARY KEY, body TEXT);\nCREATE QUERY q AS SELECT body FROM notes WHERE id = 1;",
        severity="info",
    ),
    Code(
        "never-true",
        "No row can pass a test",
        "No value of the column passes this test, or none passes it together with another one: a = 1 AND a = 2, a "
        "> 5 AND a < 3, a = 1 AND a IS NULL. Tests of columns that must be equal are combined. The query makes no "
        "request for it and finds nothing; in the ON of a LEFT JOIN no row has a match. Write WHERE FALSE to say "
        "this on purpose.",
        _SCHEMA + "CREATE QUERY q AS SELECT target FROM follows WHERE owner = 'ada' AND owner = 'bob';",
        severity="warning",
    ),
    Code(
        "indistinct-page",
        "Rows of a page cannot be told apart",
        "A cursor stores the last row of a page. Two rows of a derived table, or of a UNION ALL of such tables, "
        "may be equal in every column. Then the next page cannot know where to start, and rows would be lost.",
        _SCHEMA + "CREATE QUERY q AS SELECT d.since FROM (SELECT since FROM follows WHERE owner = [me] LIMIT 50) d "
        "PAGINATE 10;",
    ),
    Code(
        "missing-index",
        "No deployed index serves this statement",
        "A statement of the interactive mode reads only indexes that exist. Give it a name with CREATE QUERY and "
        "deploy it: deploying creates and fills the indexes of all queries.",
        _SCHEMA,
        statement="SELECT username FROM users WHERE hometown = 'Berkeley' LIMIT 3",
    ),
)
