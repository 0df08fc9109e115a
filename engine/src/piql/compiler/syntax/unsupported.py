"""Constructs of SQL and CQL that PIQL does not have: their names for messages, and what to write instead.

Each table is for one place of the grammar, keyed by the word or words in upper case that stand there. The parser reads
them all but FUNCTIONS and ILIKE, which `binding` refuses. To add a construct, add a row to the table of its place.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A construct by its name, and what to write instead (`way_out`)."""

    name: str
    way_out: str
    is_needless: bool = False  # removing it changes nothing

    @property
    def message(self) -> str:
        return f"{self.name} is not part of PIQL"


_WORDS = "LIKE [word] and CONTAINS [word] find whole words, in upper and lower case alike"
_ONE_ROW = (
    "every write is atomic and changes one row; "
    "UPDATE … IF column = value changes it only if it is still as it was read"
)

_UNIT = "writes that belong together are a unit: CREATE UNIT name AS BEGIN INSERT …; UPDATE …; END;"

# Met where something else is expected.
WORDS: dict[str, Unsupported] = {
    "REGEXP": Unsupported("REGEXP", _WORDS),
    "RLIKE": Unsupported("RLIKE", _WORDS),
    "SIMILAR": Unsupported("SIMILAR TO", _WORDS),
    "GLOB": Unsupported("GLOB", _WORDS),
    "COLLATE": Unsupported("COLLATE", "leave it out: texts compare by their UTF-8 bytes"),
    "ESCAPE": Unsupported("ESCAPE", _WORDS),
    "FOR": Unsupported("FOR UPDATE", f"leave it out: {_ONE_ROW}"),
    "INTO": Unsupported("SELECT … INTO", "leave it out: the rows go to the caller, who may INSERT them one by one"),
    "WINDOW": Unsupported("WINDOW", "use GROUP BY over a bounded section; a CREATE VIEW ends with WINDOW 1 HOUR"),
    "QUALIFY": Unsupported("QUALIFY", "use GROUP BY and HAVING over a bounded section"),
    "LATERAL": Unsupported("LATERAL", "join the table, or put a subquery with LIMIT 1 into the select list"),
    "TABLESAMPLE": Unsupported("TABLESAMPLE", "read the first rows: LIMIT 100"),
}

# Met after IS.
TESTS: dict[str, Unsupported] = {
    "UNKNOWN": Unsupported("IS UNKNOWN", "write IS NULL"),
}

# Met in one place each.
ILIKE = Unsupported("ILIKE", _WORDS)
ALLOW_FILTERING = Unsupported(
    "ALLOW FILTERING", "leave it out: only queries with a bound are accepted, and they need no permission", True
)
PER_PARTITION = Unsupported("PER PARTITION LIMIT", "fix the columns of one partition by equalities, and write LIMIT")
TTL = Unsupported("USING TTL", "keep the time in a column, and let the application delete the rows that are too old")
USING = Unsupported("USING TIMESTAMP", "leave it out: of two writes of one row, the later one wins", True)
TABLE_OPTIONS = Unsupported(
    "WITH after CREATE TABLE",
    "leave it out: queries can read every order from either end, and the cluster decides how tables are stored",
    True,
)
KEYSPACE = Unsupported(
    "a keyspace before a table's name", "leave it out: the address of the store names the keyspace", True
)
PARTITION_KEY = Unsupported(
    "a partition key in parentheses of its own",
    "leave them out: the compiler chooses partitions by what the queries fix",
    True,
)
COLLECTION = "use a second table with one row for each element, and a CARDINALITY LIMIT on their number"
COLLECTIONS = frozenset({"MAP", "SET", "LIST", "TUPLE", "FROZEN", "VECTOR"})
ON_CONSTRAINT = Unsupported("ON CONFLICT ON CONSTRAINT", "name the columns of the key: ON CONFLICT (column, …)")
CONFLICT_WHERE = Unsupported(
    "WHERE in ON CONFLICT", "leave it out, or write UPDATE … IF condition for a row that is known to be there"
)
IF_EXISTS = Unsupported("IF EXISTS", "leave it out: UPDATE and DELETE of a missing row change nothing")

# Met after a whole statement, by the first two words.
CLAUSES: dict[tuple[str, str], Unsupported] = {
    ("ON", "DUPLICATE"): Unsupported("ON DUPLICATE KEY UPDATE", "write ON CONFLICT (key) DO UPDATE SET …"),
    ("ALLOW", "FILTERING"): ALLOW_FILTERING,
    ("PER", "PARTITION"): PER_PARTITION,
    ("KEEP", "TOP"): Unsupported(
        "KEEP TOP", "leave it out: ORDER BY total DESC LIMIT 50 over the view reads the largest groups by an index"
    ),
    ("USING", "TTL"): TTL,
    ("USING", "TIMESTAMP"): USING,
}

# Met where a statement begins.
STATEMENTS: dict[str, Unsupported] = {
    "DROP": Unsupported(
        "DROP", "take the statement out of the files: a deployment adds and replaces by name, and drops no data"
    ),
    "ALTER": Unsupported("ALTER", "change CREATE TABLE itself and deploy again: the rows are kept"),
    "TRUNCATE": Unsupported("TRUNCATE", "delete rows one by one, each by its whole primary key"),
    "EXPLAIN": Unsupported("EXPLAIN", "`piql plan` shows how each query is read"),
    "MERGE": Unsupported("MERGE", "write INSERT … ON CONFLICT (key) DO UPDATE SET …"),
    "UPSERT": Unsupported("UPSERT", "INSERT replaces the row with the same key"),
    "REPLACE": Unsupported("REPLACE", "INSERT replaces the row with the same key"),
    "BEGIN": Unsupported("BEGIN", _UNIT),
    "BATCH": Unsupported("BATCH", _UNIT),
    "APPLY": Unsupported("APPLY BATCH", _UNIT),
    "USE": Unsupported("USE", "leave it out: the address of the store names the keyspace"),
    "COMMIT": Unsupported("COMMIT", _UNIT),
    "ROLLBACK": Unsupported("ROLLBACK", _UNIT),
    "GRANT": Unsupported("GRANT", "leave it out: who may call a query is up to the application"),
    "VALUES": Unsupported("VALUES alone", "name the rows of a table by their keys: WHERE key IN (…)"),
}

# Met after CREATE.
CREATED: dict[str, Unsupported] = {
    "MATERIALIZED": Unsupported(
        "CREATE MATERIALIZED VIEW", "write CREATE VIEW: every view is kept, and up to date after each write"
    ),
    "UNIQUE": Unsupported("CREATE UNIQUE INDEX", "declare UNIQUE (columns) in the table"),
    "TYPE": Unsupported("CREATE TYPE", "give the table a column for each part"),
    "FUNCTION": Unsupported("CREATE FUNCTION", "compute in the application"),
    "TRIGGER": Unsupported("CREATE TRIGGER", "let the application write the other rows"),
    "SEQUENCE": Unsupported("CREATE SEQUENCE", "let the application choose keys: a UUID for instance"),
    "SCHEMA": Unsupported("CREATE SCHEMA", "leave it out: the address of the store names the keyspace"),
    "KEYSPACE": Unsupported(
        "CREATE KEYSPACE", "leave it out: deploying makes the keyspace that the store's address names"
    ),
    "CUSTOM": Unsupported("CREATE CUSTOM INDEX", "write CREATE INDEX name ON table (columns)"),
    "AGGREGATE": Unsupported("CREATE AGGREGATE", "compute in the application"),
    "ROLE": Unsupported("CREATE ROLE", "leave it out: who may call a query is up to the application"),
    "DATABASE": Unsupported("CREATE DATABASE", "leave it out: the address of the store names the keyspace"),
}

# Types that may stand before a text.
TYPED_TEXTS = frozenset(("DATE", "TIME", "TIMESTAMP"))

# Called like functions.
CALLS: dict[str, Unsupported] = {
    "CONVERT": Unsupported("CONVERT", "write CAST(value AS type)"),
    "ANY": Unsupported("ANY", "write column IN (SELECT …), column IN [list] MAX 50, or EXISTS (SELECT …)"),
    "SOME": Unsupported("SOME", "write column IN (SELECT …), column IN [list] MAX 50, or EXISTS (SELECT …)"),
    "ALL": Unsupported("ALL", "compare with one value: (SELECT MAX(column) FROM …)"),
}

# Functions of other databases: what to write instead.
FUNCTIONS: dict[str, str] = {
    "WINDOW_START": "it stands in a CREATE VIEW with WINDOW; in a query write DATE_TRUNC('hour', time)",
    "CONCAT_WS": "join texts with ||: a || ' ' || b",
    "GETDATE": "write CURRENT_TIMESTAMP",
    "SYSDATE": "write CURRENT_TIMESTAMP",
    "RANDOM": "let the application give a random number as a parameter",
    "RAND": "let the application give a random number as a parameter",
    "TOTIMESTAMP": "write CURRENT_TIMESTAMP",
    "TODATE": "write CURRENT_DATE",
    "CURDATE": "write CURRENT_DATE",
    "YEAR": "write EXTRACT(YEAR FROM column)",
    "MONTH": "write EXTRACT(MONTH FROM column)",
    "DAY": "write EXTRACT(DAY FROM column)",
    "HOUR": "write EXTRACT(HOUR FROM column)",
    "STRFTIME": "write EXTRACT(YEAR FROM column), or format the time in the application",
    "TO_CHAR": "write EXTRACT(YEAR FROM column), or format the time in the application",
    "DATE_ADD": "write column + INTERVAL '7 days'",
    "DATE_SUB": "write column - INTERVAL '7 days'",
    "DATEADD": "write column + INTERVAL '7 days'",
    "DATEDIFF": "write one day - another: the number of days between them",
    "AGE": "write one time - another: the number of milliseconds between them",
    "DATEOF": "store the time in a column of its own",
    "UNIXTIMESTAMPOF": "store the time in a column of its own",
    "MINTIMEUUID": "store the time in a column of its own, and compare with it",
    "MAXTIMEUUID": "store the time in a column of its own, and compare with it",
    "WRITETIME": "store the time in a column of its own",
    "TTL": "store the time in a column of its own",
    "TOKEN": "PAGINATE 100 walks through rows page by page",
    "ISNULL": "COALESCE(a, b) gives the first that is not NULL; a test is written column IS NULL",
    "IF": "CASE WHEN test THEN a ELSE b END gives one of two values",
    "IIF": "CASE WHEN test THEN a ELSE b END gives one of two values",
    "LEN": "LENGTH(text) counts characters",
    "JSON_ARRAYAGG": "ARRAY_AGG(column) gives the values as the text of a JSON array",
    "JSON_GROUP_ARRAY": "ARRAY_AGG(column) gives the values as the text of a JSON array",
}
