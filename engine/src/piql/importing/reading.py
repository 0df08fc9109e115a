"""Statements → tables: each statement is taken, taken with a change, or left out with a reason.

`read_statements` is the entry. `_LEFT_OUT` and `_NOT_CREATED` say which statements PIQL has nothing for, and why. Each
kind that is left has a function, which adds to `collected`, and raises LeftOut where the whole statement is left out.
CREATE TABLE and ALTER TABLE have files of their own (`tables`, `alterations`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace

from piql.importing.alterations import alter_table
from piql.importing.collected import Collected
from piql.importing.column_types import TypeRead, enumeration, read_type
from piql.importing.columns import take_until_clause
from piql.importing.dialects import CQL
from piql.importing.schema import ImportedIndex, ImportedKey, ReadStatement
from piql.importing.statements import Statement
from piql.importing.tables import create_table, key_columns, no_index_of_kind
from piql.importing.tokens import LeftOut, Reader, shown, unquoted

DATA = "rows are not imported: load them with `piql load` after the schema is deployed"
COMMAND = "it is for the client program, not for the database"
UNKNOWN = "this statement is not known"
_SETTING = "it is about the session, not about the data"
_RIGHTS = "it is about users and rights, which the store manages itself"
_QUERY = "it is a query, not part of a schema: import it from a file of queries"
_PROGRAM = "PIQL runs no programs in the database: do this in the application"
_NUMBERS = "PIQL has no sequences: the application gives each row its number"
_PLACES = "the address of the store says where tables are"
# First word of a statement → why it is left out.
_LEFT_OUT = (
    dict.fromkeys(
        """
        SET USE PRAGMA BEGIN START COMMIT ROLLBACK LOCK UNLOCK ANALYZE VACUUM FLUSH REINDEX PRINT IF DECLARE END RETURN
        SAVEPOINT RELEASE RAISERROR CHECKPOINT ATTACH DETACH SHOW EXPLAIN DESCRIBE DESC CONSISTENCY TRACING SOURCE APPLY
        """.split(),
        _SETTING,
    )
    | dict.fromkeys(("GRANT", "REVOKE", "DENY"), _RIGHTS)
    | dict.fromkeys(("SELECT", "UPDATE", "DELETE", "MERGE", "WITH", "VALUES"), _QUERY)
    | dict.fromkeys(("EXEC", "EXECUTE", "CALL", "DO"), _PROGRAM)
    | dict.fromkeys(("INSERT", "REPLACE", "UPSERT", "COPY", "LOAD", "BULK", "TRUNCATE"), DATA)
    | {"REFRESH": "PIQL has no materialised views"}
)
_VIEW = "views are not translated: write its SELECT as a query, or counts and sums of groups as CREATE VIEW"
# Kind of a CREATE → why it is left out.
_NOT_CREATED = (
    dict.fromkeys(("TRIGGER", "FUNCTION", "PROCEDURE", "PROC", "PACKAGE", "EVENT", "RULE", "AGGREGATE"), _PROGRAM)
    | dict.fromkeys(("OPERATOR", "CAST", "LANGUAGE", "EXTENSION", "ASSEMBLY", "COLLATION"), _PROGRAM)
    | dict.fromkeys(("SCHEMA", "DATABASE", "KEYSPACE", "TABLESPACE", "SYNONYM", "SERVER", "FOREIGN"), _PLACES)
    | dict.fromkeys(("ROLE", "USER", "LOGIN", "POLICY"), _RIGHTS)
    | {"SEQUENCE": _NUMBERS, "VIEW": _VIEW, "STATISTICS": "PIQL needs no statistics"}
    | {"VIRTUAL": "a virtual table is computed by a program in the database"}
)
_CQL_VIEW = "PIQL derives an index of the table from the queries that need another order"
# Words between CREATE and its kind that change nothing.
_MODIFIERS = frozenset(
    """
    OR REPLACE GLOBAL LOCAL UNLOGGED EDITIONABLE NONEDITIONABLE FORCE ALGORITHM UNDEFINED MERGE TEMPTABLE DEFINER SQL
    SECURITY INVOKER PUBLIC CONSTRAINT TRUSTED PROCEDURAL = @ ALTER CLUSTERED NONCLUSTERED HASH
    """.split()
)
_INDEX_KINDS = frozenset({"FULLTEXT", "SPATIAL", "BITMAP", "XML", "COLUMNSTORE", "CUSTOM"})
_LOST_INDEX_KINDS = _INDEX_KINDS - {"BITMAP"}  # a bitmap index serves what a plain one serves
_INDEX_METHODS = frozenset({"BTREE", "HASH"})
_NOTHING_TO_DROP = "there is nothing to drop: a deployment adds and replaces by name"
_NO_SUBJECT = "what it refers to was not imported"
# Between INSERT or REPLACE and the name of the table.
_BEFORE_TABLE = frozenset({"INTO", "IGNORE", "OR", "DELAYED", "LOW_PRIORITY", "REPLACE", "ROLLBACK", "ABORT"})
_HEAD_TOKENS = 8  # tokens of a CREATE among which its TABLE stands, behind words such as GLOBAL TEMPORARY
_TEMPORARY = "a temporary table lives as long as a session"


def read_statements(statements: Iterable[Statement], collected: Collected) -> list[ReadStatement]:
    """Read all statements into `collected`; return what became of them, in the order of the text.

    Statements that follow each other and are left out for one reason are one ReadStatement with a `count`.
    """
    outcomes: list[ReadStatement] = []
    data: Statement | None = None  # the statement before, if it holds rows: those of one table share their tokens
    for statement in statements:
        last = outcomes[-1] if outcomes else None
        if last is not None and data is not None and statement.is_data and statement.tokens is data.tokens:
            outcomes[-1] = replace(last, last_line=statement.last_line, count=last.count + 1)
            continue
        data = statement if statement.is_data else None
        outcome = _read(statement, collected)
        if last is not None and last.outcome == "left out" and _are_alike(last, outcome):
            outcomes[-1] = replace(last, last_line=outcome.last_line, count=last.count + 1)
        else:
            outcomes.append(outcome)
    return outcomes


def _are_alike(last: ReadStatement, outcome: ReadStatement) -> bool:
    """Say whether two left-out statements are listed as one: rows of one table, settings one after the other."""
    if outcome.outcome != "left out" or last.reason != outcome.reason:
        return False
    return last.words == outcome.words or outcome.reason in (_SETTING, _RIGHTS, COMMAND)


def _read(statement: Statement, collected: Collected) -> ReadStatement:
    """Read one statement into `collected`, and return what became of it."""
    words = shown(statement.tokens) if not statement.is_data else _data_words(statement)
    read = ReadStatement(statement.line, statement.last_line, words, "taken")
    if statement.is_command:
        return replace(read, outcome="left out", reason=COMMAND)
    if statement.is_data:
        return replace(read, outcome="left out", reason=DATA)
    notes = len(collected.notes)
    try:
        _read_words(statement, collected)
    except LeftOut as omission:
        _remember_left_out(statement, collected)
        return replace(read, outcome="left out", reason=str(omission))
    return replace(read, outcome="changed") if len(collected.notes) > notes else read


def _data_words(statement: Statement) -> str:
    """Return `INSERT INTO users` of an INSERT, `COPY users` of a COPY."""
    reader = Reader(statement.tokens)
    verb = reader.take().word
    while reader.accept_any(_BEFORE_TABLE):
        pass
    try:
        table = reader.dotted_name()[1]
    except LeftOut:
        return shown(statement.tokens)
    return f"{verb} INTO {table}" if verb != "COPY" else f"COPY {table}"


def _remember_left_out(statement: Statement, collected: Collected) -> None:
    """Remember the name of a table that is left out, for the statements that refer to it."""
    words = [token.word for token in statement.tokens[:_HEAD_TOKENS]]
    if words[0] == "CREATE" and "TABLE" in words:
        reader = Reader(statement.tokens[words.index("TABLE") + 1 :])
        reader.accept("IF", "NOT", "EXISTS")
        with suppress(LeftOut):
            collected.left_out_tables[reader.dotted_name()[1].lower()] = statement.line


def _read_words(statement: Statement, collected: Collected) -> None:
    """Read one statement of SQL by its first words; raise LeftOut where it is left out."""
    reader = Reader(statement.tokens)
    if reader.accept("CREATE"):
        _create(statement, reader, collected)
    elif reader.accept("ALTER", "TABLE"):
        alter_table(reader, collected)
    elif reader.accept("ALTER"):
        raise LeftOut(_why_not_altered(reader))
    elif reader.accept("DROP"):
        _drop(reader, collected)
    elif reader.accept("COMMENT", "ON"):
        _comment(reader, collected)
    else:
        raise LeftOut(_why_no_schema(reader))


def _why_no_schema(reader: Reader) -> str:
    """Return why a statement that declares nothing is left out; dumps call functions for the session and sequences."""
    if reader.word() == "SELECT":
        called = reader.word(3) if reader.word(2) == "." else reader.word(1)
        if called in ("SET_CONFIG", "SETVAL"):
            return _SETTING if called == "SET_CONFIG" else _NUMBERS
    return _LEFT_OUT.get(reader.word(), UNKNOWN)


def _why_not_altered(reader: Reader) -> str:
    """Return why an ALTER of anything but a table is left out; the reader stands behind ALTER."""
    if reader.word() in ("TYPE", "DOMAIN", "INDEX"):
        return "it says how a database stores it, not what it contains"
    words = (reader.word(ahead) for ahead in range(3))  # ALTER DEFAULT PRIVILEGES, ALTER PUBLIC SYNONYM
    kind = next((word for word in words if word in _NOT_CREATED), None)
    return "this change is unknown: change the schema itself" if kind is None else _NOT_CREATED[kind]


def _create(statement: Statement, reader: Reader, collected: Collected) -> None:
    """Read what CREATE creates: the words behind it are skipped up to the first that names a kind."""
    is_unique, index_kind = False, ""
    kinds: dict[str, Callable[[], None]] = {
        "TABLE": lambda: create_table(statement, reader, collected),
        "COLUMNFAMILY": lambda: create_table(statement, reader, collected),
        "INDEX": lambda: _create_index(reader, collected, index_kind, is_unique=is_unique),
        "TYPE": lambda: _create_type(reader, collected),
        "DOMAIN": lambda: _create_domain(statement, reader, collected),
    }
    while not reader.is_at_end:
        token = reader.take()
        word = token.word
        if word in kinds:
            kinds[word]()
            return
        if word in ("TEMPORARY", "TEMP") or token.text.startswith("#"):
            raise LeftOut(_TEMPORARY)
        if word == "MATERIALIZED":
            raise LeftOut(_CQL_VIEW if collected.dialect is CQL else _VIEW)
        if word in _NOT_CREATED:
            raise LeftOut(_NOT_CREATED[word])
        is_unique = is_unique or word == "UNIQUE"
        if word in _INDEX_KINDS:
            index_kind = word
        is_known = is_unique or index_kind or word in _MODIFIERS
        if not is_known and token.kind == "word":
            break
    raise LeftOut("PIQL has nothing like it")


def _create_index(reader: Reader, collected: Collected, kind: str, *, is_unique: bool) -> None:
    """Read an index behind INDEX into its table; `kind` is one of _INDEX_KINDS, '' for a plain one."""
    line = reader.line
    reader.accept("CONCURRENTLY")
    reader.accept("IF", "NOT", "EXISTS")
    name = reader.dotted_name()[1] if reader.word() != "ON" else ""
    while reader.word() not in ("ON", ""):
        reader.take()  # MySQL's USING BTREE
    if not reader.accept("ON"):
        raise LeftOut("it names no table")
    reader.accept("ONLY")
    schema, table_name = reader.dotted_name()
    table = collected.find(schema, table_name)
    if table is None:
        left_out = collected.left_out_tables.get(table_name.lower())
        see = f"the table {table_name} is left out, see line {left_out}"
        raise LeftOut(see if left_out else f"there is no table {table_name}")
    if reader.accept("USING"):
        method = unquoted(reader.take()).upper()
        if method not in _INDEX_METHODS:
            raise LeftOut(no_index_of_kind(kind or method))
    if kind in _LOST_INDEX_KINDS:
        raise LeftOut(no_index_of_kind(kind))
    columns = key_columns(reader, table, collected, f"index {name}")
    while not reader.is_at_end:
        if reader.accept("WHERE"):
            piql_kind = "UNIQUE" if is_unique else "index"
            condition = shown(reader.rest())
            raise LeftOut(f"it holds only the rows where {condition}; a PIQL {piql_kind} holds all of them")
        if reader.accept("INCLUDE"):
            covered = shown(reader.group())
            collected.note(line, "changed", f"index {name}", f"the compiler decides whether it also contains {covered}")
        else:
            reader.take()
    if is_unique:
        table.unique_keys.append(ImportedKey(tuple(column.name for column in columns), line, name))
    else:
        table.indexes.append(ImportedIndex(name, columns, line))


def _create_type(reader: Reader, collected: Collected) -> None:
    """Read an enumeration (PostgreSQL) or an alias of a type (T-SQL) for the columns that use it."""
    reader.accept("IF", "NOT", "EXISTS")
    name = reader.dotted_name()[1]
    if reader.accept("AS", "ENUM"):
        values = [unquoted(token) for token in reader.group() if token.kind == "string"]
        collected.types[name.lower()] = enumeration(values)
    elif reader.accept("FROM"):
        collected.types[name.lower()] = _aliased(reader, collected)
    else:
        raise LeftOut("a column holds one value in PIQL: use a column for each part, or a table of its own")


def _aliased(reader: Reader, collected: Collected) -> TypeRead:
    """Take the type for which an alias or a domain stands."""
    tokens = take_until_clause(reader)
    read = read_type(tokens, collected.dialect, collected.types)
    return TypeRead(read.type, f"it is {shown(tokens)}, {read.type} in PIQL", read.is_generated)


def _create_domain(statement: Statement, reader: Reader, collected: Collected) -> None:
    """Read a domain for the columns that use it; its conditions are left out with a note."""
    name = reader.dotted_name()[1]
    reader.accept("AS")
    collected.types[name.lower()] = _aliased(reader, collected)
    if not reader.is_at_end:
        reason = f"check in the application: {shown(reader.rest())}"
        collected.note(statement.line, "left out", f"conditions of the domain {name}", reason)


def _drop(reader: Reader, collected: Collected) -> None:
    """Remove a table that the text has created before."""
    if not reader.accept("TABLE"):
        raise LeftOut(_NOTHING_TO_DROP)
    reader.accept("IF", "EXISTS")
    schema, name = reader.dotted_name()
    table = collected.find(schema, name)
    if table is None:
        raise LeftOut(_NOTHING_TO_DROP)
    collected.remove(table)


def _comment(reader: Reader, collected: Collected) -> None:
    """Read `COMMENT ON TABLE t IS 'text'` and `COMMENT ON COLUMN t.c IS 'text'`."""
    if reader.accept("TABLE"):
        schema, name = reader.dotted_name()
        table = collected.find(schema, name)
        if table is None or not reader.accept("IS"):
            raise LeftOut(_NO_SUBJECT)
        table.comments.append(unquoted(reader.take()))
    elif reader.accept("COLUMN"):
        start = reader.at
        table_name, name = reader.dotted_name()
        parts = [unquoted(token) for token in reader.tokens[start : reader.at] if token.is_name]
        table = collected.find(parts[-3] if len(parts) > 2 else "", table_name)
        column = table.column(name) if table is not None else None
        if column is None or not reader.accept("IS"):
            raise LeftOut(_NO_SUBJECT)
        column.comment = unquoted(reader.take())
    else:
        raise LeftOut(_NO_SUBJECT)
