"""Statements → tables: each statement is taken, taken with a change, or left out with a reason.

The tables below have one row for each kind of statement that is left out, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace

from piql.importing.alterations import alter_table
from piql.importing.collected import Collected
from piql.importing.column_types import TypeRead, enumeration, read_type
from piql.importing.columns import begins_clause
from piql.importing.dialects import CQL
from piql.importing.schema import ImportedIndex, ImportedKey, ReadStatement
from piql.importing.statements import Statement
from piql.importing.tables import create_table, index_columns, no_index_of_kind
from piql.importing.tokens import Reader, Unread, shown, unquoted

DATA = "rows are not imported: put them in with `piql load` once the schema is deployed"
COMMAND = "it is for the client program, not for the database"
UNKNOWN = "this statement is not known"
_SETTING = "it is about the session, not about what is stored"
_RIGHTS = "it is about users and rights; those of the store decide"
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
_VIEW = "PIQL has no views: write its SELECT as a query"
# Kind of a CREATE → why it is left out.
_NOT_CREATED = (
    dict.fromkeys(("TRIGGER", "FUNCTION", "PROCEDURE", "PROC", "PACKAGE", "EVENT", "RULE", "AGGREGATE"), _PROGRAM)
    | dict.fromkeys(("OPERATOR", "CAST", "LANGUAGE", "EXTENSION", "ASSEMBLY", "COLLATION"), _PROGRAM)
    | dict.fromkeys(("SCHEMA", "DATABASE", "KEYSPACE", "TABLESPACE", "SYNONYM", "SERVER", "FOREIGN"), _PLACES)
    | dict.fromkeys(("ROLE", "USER", "LOGIN", "POLICY"), _RIGHTS)
    | {"SEQUENCE": _NUMBERS, "VIEW": _VIEW, "STATISTICS": "PIQL needs no statistics"}
    | {"VIRTUAL": "a virtual table is kept by a program of the database"}
)
_VIEW_OF_TABLE = "PIQL derives an index of the table from the queries that need another order"
_MODIFIERS = frozenset(
    """
    OR REPLACE GLOBAL LOCAL UNLOGGED EDITIONABLE NONEDITIONABLE FORCE ALGORITHM UNDEFINED MERGE TEMPTABLE DEFINER SQL
    SECURITY INVOKER PUBLIC CONSTRAINT TRUSTED PROCEDURAL = @ ALTER
    """.split()
)
_TEMPORARY = "a temporary table lives as long as a session"


def read_statements(statements: Iterable[Statement], collected: Collected) -> list[ReadStatement]:
    """Read all statements into `collected`; return what became of them, in the order of the text."""
    outcomes: list[ReadStatement] = []
    data: Statement | None = None
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
    words = shown(statement.tokens) if not statement.is_data else _data_words(statement)
    read = ReadStatement(statement.line, statement.last_line, words, "taken")
    if statement.is_command:
        return replace(read, outcome="left out", reason=COMMAND)
    if statement.is_data:
        return replace(read, outcome="left out", reason=DATA)
    notes = len(collected.notes)
    try:
        reason = _read_words(statement, collected)
    except Unread as unread:
        reason = str(unread)
        _remember_left_out(statement, collected)
    if reason:
        return replace(read, outcome="left out", reason=reason)
    return replace(read, outcome="changed") if len(collected.notes) > notes else read


def _data_words(statement: Statement) -> str:
    """Return `INSERT INTO users` of an INSERT, `COPY users` of a COPY."""
    reader = Reader(statement.tokens)
    verb = reader.take().word
    while reader.word() in ("INTO", "IGNORE", "OR", "DELAYED", "LOW_PRIORITY", "REPLACE", "ROLLBACK", "ABORT"):
        reader.take()
    try:
        table = reader.dotted_name()[1]
    except Unread:
        return shown(statement.tokens)
    return f"{verb} INTO {table}" if verb != "COPY" else f"COPY {table}"


def _remember_left_out(statement: Statement, collected: Collected) -> None:
    """Remember the name of a table that is left out, for the statements that refer to it."""
    words = [token.word for token in statement.tokens[:8]]
    if words[0] == "CREATE" and "TABLE" in words:
        reader = Reader(statement.tokens[words.index("TABLE") + 1 :])
        reader.accept("IF", "NOT", "EXISTS")
        with suppress(Unread):
            collected.left_out_tables[reader.dotted_name()[1].lower()] = statement.line


def _read_words(statement: Statement, collected: Collected) -> str:
    """Read one statement; return why it is left out, '' where it is taken."""
    reader = Reader(statement.tokens)
    word = reader.word()
    if word == "CREATE":
        reader.take()
        return _create(statement, reader, collected)
    if reader.accept("ALTER", "TABLE"):
        return alter_table(reader, collected)
    if word == "ALTER":
        kind = next((token.word for token in statement.tokens[1:4] if token.word in _NOT_CREATED), "")
        if reader.word(1) == "TYPE" or reader.word(1) == "DOMAIN" or reader.word(1) == "INDEX":
            return "it says how a database keeps it, not what it holds"
        return _NOT_CREATED.get(kind, "this change is not known: change the schema itself")
    if reader.accept("DROP"):
        return _drop(reader, collected)
    if reader.accept("COMMENT", "ON"):
        return _comment(reader, collected)
    return _LEFT_OUT.get(word, UNKNOWN)


def _create(statement: Statement, reader: Reader, collected: Collected) -> str:
    is_unique, index_kind = False, ""
    kinds: dict[str, Callable[[], str]] = {
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
            return kinds[word]()
        if word in ("TEMPORARY", "TEMP") or token.text.startswith("#"):
            raise Unread(_TEMPORARY)
        if word == "MATERIALIZED":
            return _VIEW_OF_TABLE if collected.dialect is CQL else _VIEW
        if word in _NOT_CREATED:
            return _NOT_CREATED[word]
        is_unique = is_unique or word == "UNIQUE"
        if word in ("FULLTEXT", "SPATIAL", "BITMAP", "XML", "COLUMNSTORE", "CUSTOM"):
            index_kind = word
        known = is_unique or index_kind or word in _MODIFIERS or word in ("CLUSTERED", "NONCLUSTERED", "HASH")
        if not known and token.kind == "word":
            break
    return "PIQL has no such thing"


def _create_index(reader: Reader, collected: Collected, kind: str, *, is_unique: bool) -> str:
    line = reader.line
    reader.accept("CONCURRENTLY")
    reader.accept("IF", "NOT", "EXISTS")
    name = reader.dotted_name()[1] if reader.word() != "ON" else ""
    while reader.word() not in ("ON", ""):
        reader.take()  # MySQL's USING BTREE
    if not reader.accept("ON"):
        raise Unread("it names no table")
    reader.accept("ONLY")
    schema, table_name = reader.dotted_name()
    table = collected.find(schema, table_name)
    if table is None:
        left_out = collected.left_out_tables.get(table_name.lower())
        return (
            f"the table {table_name} is left out, see line {left_out}"
            if left_out
            else f"there is no table {table_name}"
        )
    method = ""
    if reader.accept("USING"):
        method = reader.take().word
    if kind in ("FULLTEXT", "SPATIAL", "CUSTOM", "XML", "COLUMNSTORE") or method not in ("", "BTREE", "HASH"):
        return no_index_of_kind(kind or method)
    columns = index_columns(reader, table, collected, f"index {name}")
    while not reader.is_at_end:
        if reader.accept("WHERE"):
            what = "UNIQUE" if is_unique else "index"
            return f"it holds only the rows where {shown(reader.rest())}; a PIQL {what} holds all of them"
        if reader.accept("INCLUDE"):
            covered = shown(reader.group())
            collected.note(line, "changed", f"index {name}", f"the compiler decides whether it holds {covered}, too")
        else:
            reader.take()
    if is_unique:
        table.unique_keys.append(ImportedKey(tuple(column for column, _ in columns), line, name))
    else:
        table.indexes.append(ImportedIndex(name, columns, line))
    return ""


def _create_type(reader: Reader, collected: Collected) -> str:
    reader.accept("IF", "NOT", "EXISTS")
    name = reader.dotted_name()[1]
    if reader.accept("AS", "ENUM"):
        values = [unquoted(token) for token in reader.group() if token.kind == "string"]
        collected.types[name.lower()] = enumeration(values)
        return ""
    if reader.accept("FROM"):
        collected.types[name.lower()] = _aliased(reader, collected)
        return ""
    return "a column holds one value in PIQL: use a column for each part, or a table of its own"


def _aliased(reader: Reader, collected: Collected) -> TypeRead:
    start = reader.at
    while not reader.is_at_end and not begins_clause(reader):
        if reader.word() == "(":
            reader.group()
        else:
            reader.take()
    words = reader.tokens[start : reader.at]
    read = read_type(words, collected.dialect, collected.types)
    return TypeRead(read.type, f"it is {shown(words)}, {read.type} in PIQL", read.is_generated)


def _create_domain(statement: Statement, reader: Reader, collected: Collected) -> str:
    name = reader.dotted_name()[1]
    reader.accept("AS")
    collected.types[name.lower()] = _aliased(reader, collected)
    if not reader.is_at_end:
        reason = f"check in the application: {shown(reader.rest())}"
        collected.note(statement.line, "left out", f"conditions of the domain {name}", reason)
    return ""


def _drop(reader: Reader, collected: Collected) -> str:
    if not reader.accept("TABLE"):
        return "there is nothing to drop: a deployment adds and replaces by name"
    reader.accept("IF", "EXISTS")
    schema, name = reader.dotted_name()
    table = collected.find(schema, name)
    if table is None:
        return "there is nothing to drop: a deployment adds and replaces by name"
    collected.remove(table)
    return ""


def _comment(reader: Reader, collected: Collected) -> str:
    if reader.accept("TABLE"):
        schema, name = reader.dotted_name()
        table = collected.find(schema, name)
        if table is not None and reader.accept("IS"):
            words = unquoted(reader.take())
            table.comments.append(words)
            return ""
    elif reader.accept("COLUMN"):
        start = reader.at
        table_name, name = reader.dotted_name()
        parts = [unquoted(token) for token in reader.tokens[start : reader.at] if token.is_name]
        table = collected.find(parts[-3] if len(parts) > 2 else "", table_name)
        column = table.column(name) if table is not None else None
        if column is not None and reader.accept("IS"):
            column.comment = unquoted(reader.take())
            return ""
    return "there is nothing in the PIQL that it speaks of"
