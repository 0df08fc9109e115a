"""CREATE TABLE → an ImportedTable. An element that cannot be read is noted and left out; the table stays."""

from __future__ import annotations

import re
from collections.abc import Sequence

from piql.importing.collected import Collected
from piql.importing.columns import read_column, read_references, skip_checking, skip_index_options
from piql.importing.dialects import CQL, MYSQL, TSQL
from piql.importing.schema import ImportedIndex, ImportedKey, ImportedTable
from piql.importing.statements import Statement
from piql.importing.tokens import ForeignToken, Reader, Unread, shown, split_at_commas, unquoted

# Lines that dump programs write above each statement.
_NOISE = re.compile(
    r"^(?:-- (?:Name|Data for Name): |--\s*$|-- (?:Table|View|Temporary|Indexes|Constraints|Dumping|AUTO_INCREMENT)\b|"
    r"-{2,}\s*-*\s*$|/\*+ ?(?:Object|Table):|-- Dump|-- (?:MySQL|MariaDB|PostgreSQL|Host|Server|Current)\b)",
    re.IGNORECASE,
)
_CONSTRAINTS = frozenset({"PRIMARY", "UNIQUE", "FOREIGN", "CONSTRAINT", "CHECK", "EXCLUDE"})
_INDEXES = frozenset({"KEY", "INDEX", "FULLTEXT", "SPATIAL"})
_PLAIN_OPTIONS = frozenset({"WITHOUT", "ROWID", "STRICT"})
NO_PARTITIONS = "PIQL spreads the rows itself"


def create_table(statement: Statement, reader: Reader, collected: Collected) -> str:
    """Read a table behind `CREATE … TABLE`; return '', or raise Unread where it is left out."""
    reader.accept("IF", "NOT", "EXISTS")
    schema, name = reader.dotted_name()
    table = ImportedTable(schema, name, statement.line)
    collected.note_name(reader.tokens[reader.at - 1], name)
    if reader.accept("PARTITION", "OF"):
        raise Unread(f"it is a part of {reader.dotted_name()[1]}; {NO_PARTITIONS}")
    if reader.word() != "(":
        raise Unread("its columns are not written: write CREATE TABLE with its columns")
    first = collected.find(schema, name)
    if first is not None and first.schema == schema:
        raise Unread(f"there is a table {name} already")
    opening = reader.at
    for element in split_at_commas(reader.group(), has_angles=collected.dialect is CQL):
        read_element(element, table, collected)
    body_end = reader.tokens[reader.at - 1].line
    _read_options(reader, table, collected)
    _keep_comments(statement, table, reader.tokens[opening].line, body_end)
    collected.add(table)
    return ""


def read_element(element: Sequence[ForeignToken], table: ImportedTable, collected: Collected) -> None:
    """Read one column or constraint into the table, or note why it is left out."""
    reader = Reader(element)
    line = reader.line
    try:
        word = reader.word()
        is_index = word in _INDEXES and (collected.dialect is MYSQL or (word == "INDEX" and collected.dialect is TSQL))
        if word in _CONSTRAINTS or is_index:
            read_constraint(reader, table, collected)
        elif word == "LIKE":
            raise Unread("write the columns of the other table here")
        elif word == "PERIOD":
            raise Unread("PIQL keeps one version of a row")
        else:
            read_column(reader, table, collected)
    except Unread as reason:
        first = element[0]
        is_column = first.word not in _CONSTRAINTS | _INDEXES | {"LIKE", "PERIOD"} and first.is_name
        if is_column and unquoted(first).lower() in table.folded:
            collected.note(line, "left out", f"the rest of {table.name}.{unquoted(first)}", str(reason))
        elif is_column:
            table.left_out_columns[unquoted(first).lower()] = line
            if "PRIMARY" in [token.word for token in element] and not table.primary_key:
                table.primary_key = (unquoted(first),)
            collected.note(line, "left out", f"{table.name}.{unquoted(first)}", str(reason))
        else:
            collected.note(line, "left out", f"{shown(element)} of {table.name}", str(reason))


def read_constraint(reader: Reader, table: ImportedTable, collected: Collected) -> None:
    """Read a constraint or an index that stands in a table, or behind ALTER TABLE … ADD."""
    line, name = reader.line, ""
    if reader.accept("CONSTRAINT"):
        has_name = reader.word() not in _CONSTRAINTS or reader.peek(1) is None
        name = reader.name() if has_name else ""
    if reader.accept("PRIMARY", "KEY"):
        columns = [column for column, _ in _key_columns(reader, table, collected, "PRIMARY KEY")]
        if table.primary_key:
            raise Unread(f"the table has a primary key already, of line {table.key_line}")
        table.primary_key, table.key_line = tuple(columns), line
    elif reader.accept("UNIQUE"):
        reader.accept("KEY") or reader.accept("INDEX")
        name = name or _index_name(reader)
        columns = [column for column, _ in _key_columns(reader, table, collected, "UNIQUE")]
        table.unique_keys.append(ImportedKey(tuple(columns), line, name))
    elif reader.accept("FOREIGN", "KEY"):
        if reader.word() != "(":
            reader.name()  # MySQL's name of the index
        names = Reader(reader.group())
        columns = [names.name()]
        while names.accept(","):
            columns.append(names.name())
        read_references(reader, tuple(columns), table, collected, name)
    elif reader.accept("CHECK"):
        inner = reader.group()
        skip_checking(reader)
        collected.note(line, "left out", f"CHECK of {table.name}", f"check in the application that {shown(inner)}")
    elif reader.word() in _INDEXES:
        _read_index(reader, table, collected)
    elif reader.word() == "EXCLUDE":
        raise Unread("PIQL has no EXCLUDE: check in the application")
    else:
        raise Unread("this constraint is not known")
    skip_index_options(reader)
    reader.accept("COMMENT") and reader.take()
    if not reader.is_at_end:
        collected.note(reader.line, "left out", f"{shown(reader.rest())} of {table.name}", "PIQL has no such option")


def _index_name(reader: Reader) -> str:
    """Take the name that may stand before the columns of a key."""
    token = reader.peek()
    name = reader.name() if token is not None and token.is_name and token.word not in _KEY_WORDS else ""
    if reader.accept("USING"):
        reader.take()
    return name


_KEY_WORDS = frozenset({"CLUSTERED", "NONCLUSTERED", "USING", "NULLS", "HASH"})


def _key_columns(reader: Reader, table: ImportedTable, collected: Collected, what: str) -> list[tuple[str, bool]]:
    """Take the columns of a key, with CQL's brackets around the partition and with the order of each."""
    while reader.accept_any(_KEY_WORDS):
        if reader.word() == "NOT":
            reader.take()
        reader.accept("DISTINCT") or reader.accept("BTREE") or reader.accept("HASH")
    columns: list[tuple[str, bool]] = []
    for part in split_at_commas(reader.group()):
        if part[0].text == "(" and collected.dialect is CQL:
            columns += [(unquoted(token), False) for token in part if token.is_name]
            continue
        columns.append(_key_column(part, table, collected, what))
    return columns


def _key_column(
    part: Sequence[ForeignToken], table: ImportedTable, collected: Collected, what: str
) -> tuple[str, bool]:
    """Return one column of a key and whether it is descending; raise Unread for anything but a column."""
    inner = Reader(part)
    token = inner.peek()
    if token is None or not (token.is_name or token.kind == "string"):
        raise Unread("PIQL's keys and indexes hold columns, not computed values")
    name = inner.name()
    if inner.word() == "(":
        argument = inner.group()
        if len(argument) != 1 or argument[0].kind != "number":
            raise Unread("PIQL's keys and indexes hold columns, not computed values")
        if what == "UNIQUE":
            raise Unread(
                f"only the first {argument[0].text} characters of {name} are unique: PIQL compares whole values"
            )
        reason = f"holds the whole of {name}, not its first {argument[0].text} characters"
        collected.note(token.line, "changed", f"{what} of {table.name}", reason)
    is_descending = False
    while not inner.is_at_end:
        option = inner.take()
        is_descending = is_descending or option.word == "DESC"
        if not option.is_name:
            raise Unread("PIQL's keys and indexes hold columns, not computed values")
    return name, is_descending


def _read_index(reader: Reader, table: ImportedTable, collected: Collected) -> None:
    """Read `INDEX name (columns)` as MySQL and SQL Server write it inside a table."""
    kind = reader.take().word
    if kind in ("FULLTEXT", "SPATIAL"):
        reader.accept("KEY") or reader.accept("INDEX")
        reader.rest()
        raise Unread(no_index_of_kind(kind))
    line = reader.line
    name = _index_name(reader)
    columns = tuple(_key_columns(reader, table, collected, f"index {name}"))
    table.indexes.append(ImportedIndex(name, columns, line))


def no_index_of_kind(kind: str) -> str:
    """Say why an index of a kind such as FULLTEXT is left out, and what to do instead."""
    if kind == "FULLTEXT":
        return "PIQL derives an index of words from the queries that search for one: column CONTAINS [word]"
    return f"PIQL has no index of the kind {kind}"


def index_columns(
    reader: Reader, table: ImportedTable, collected: Collected, name: str
) -> tuple[tuple[str, bool], ...]:
    """Take the columns of CREATE INDEX, in brackets."""
    return tuple(_key_columns(reader, table, collected, name))


def _read_options(reader: Reader, table: ImportedTable, collected: Collected) -> None:
    """Read what stands behind the columns: how the database keeps the table, and sometimes what it means."""
    others: list[ForeignToken] = []
    while not reader.is_at_end:
        line = reader.line
        if reader.accept("INHERITS"):
            parents = shown(reader.group())
            reason = f"the columns of {parents} are not among those of this table: add them"
            collected.note(line, "left out", f"INHERITS of {table.name}", reason)
        elif reader.accept("PARTITION", "BY"):
            collected.note(line, "left out", f"PARTITION BY of {table.name}", NO_PARTITIONS)
            reader.rest()
        elif reader.accept("CLUSTERING", "ORDER", "BY"):
            reader.group()  # queries read every order from either end
        elif reader.word() == "DEFAULT_TIME_TO_LIVE":
            reader.take()
            reader.accept("=")
            seconds = reader.take().text
            if seconds != "0":
                reason = f"rows were deleted after {seconds} seconds: let the application delete them"
                collected.note(line, "left out", f"default_time_to_live of {table.name}", reason)
        elif reader.word() == "COMMENT" and reader.word(1) in ("=", ""):
            reader.take()
            reader.accept("=")
            table.comments.append(unquoted(reader.take()))
        elif reader.word() == "SELECT" or (reader.word() == "AS" and reader.word(1) in ("SELECT", "WITH", "(")):
            reader.rest()
            collected.note(line, "left out", f"AS SELECT of {table.name}", "load the rows with db.load")
        else:
            others.append(reader.take())
    named = [token for token in others if token.word not in _PLAIN_OPTIONS | {"WITH", "AND", ","}]
    if named:
        reason = "they say how a database keeps the table, not what it holds"
        collected.note(named[0].line, "left out", f"options of {table.name} ({shown(named, 40)})", reason)


def _keep_comments(statement: Statement, table: ImportedTable, first: int, last: int) -> None:
    """Keep comments above the table, and those at the end of the line of a column."""
    above = [text for line, text in statement.comments if line < statement.line and not _NOISE.match(text)]
    table.comments[:0] = [words for text in above for words in _words(text)]
    at_ends = {line: text for line, text in statement.comments if first <= line <= last}
    last_of_line = {column.line: column for column in table.columns}
    for line, text in at_ends.items():
        column = last_of_line.get(line)
        words = _words(text)
        if column is not None and not column.comment and len(words) == 1:
            column.comment = words[0]


def _words(comment: str) -> list[str]:
    """Return the lines of a comment without its signs."""
    is_block = comment.startswith("/*")
    lines = comment[2:].removesuffix("*/").splitlines() if is_block else [comment.lstrip("-/#")]
    return [words for line in lines if (words := line.strip().strip("*-=/ ").strip())]
