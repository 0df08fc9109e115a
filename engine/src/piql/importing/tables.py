"""CREATE TABLE → an ImportedTable. An element that cannot be read is noted and left out; the table stays.

`create_table` reads a statement, `read_element` one column or constraint between its brackets; the clauses of a column
are read by `columns`. ALTER TABLE and CREATE INDEX use the same functions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from piql.importing.collected import Collected
from piql.importing.columns import read_check, read_column, read_references, skip_index_options
from piql.importing.dialects import CQL, MYSQL, TSQL
from piql.importing.schema import ImportedIndex, ImportedKey, ImportedTable, KeyColumn
from piql.importing.statements import Statement
from piql.importing.tokens import ForeignToken, LeftOut, Reader, shown, split_at_commas, unquoted

# Lines that dump programs write above each statement.
_NOISE = re.compile(
    r"^(?:-- (?:Name|Data for Name): |--\s*$|-- (?:Table|View|Temporary|Indexes|Constraints|Dumping|AUTO_INCREMENT)\b|"
    r"-{2,}\s*-*\s*$|/\*+ ?(?:Object|Table):|-- Dump|-- (?:MySQL|MariaDB|PostgreSQL|Host|Server|Current)\b)",
    re.IGNORECASE,
)
_CONSTRAINTS = frozenset({"PRIMARY", "UNIQUE", "FOREIGN", "CONSTRAINT", "CHECK", "EXCLUDE"})
_INDEXES = frozenset({"KEY", "INDEX", "FULLTEXT", "SPATIAL"})
_NO_COLUMNS = _CONSTRAINTS | _INDEXES | {"LIKE", "PERIOD"}  # first words of an element that is no column
_KEY_WORDS = frozenset({"CLUSTERED", "NONCLUSTERED", "USING", "NULLS", "HASH"})  # between UNIQUE and its columns
# Options behind the columns that need no note: SQLite's WITHOUT ROWID and STRICT, and what joins options.
_SILENT_OPTIONS = frozenset({"WITHOUT", "ROWID", "STRICT", "WITH", "AND", ","})
_SHOWN_OPTIONS = 40  # characters
NO_PARTITIONS = "PIQL distributes the rows itself"
_NO_EXPRESSIONS = "PIQL's keys and indexes hold columns, not computed values"


def create_table(statement: Statement, reader: Reader, collected: Collected) -> None:
    """Read the table behind `CREATE … TABLE` into `collected`; raise LeftOut where the whole table is left out."""
    reader.accept("IF", "NOT", "EXISTS")
    schema, name = reader.dotted_name()
    table = ImportedTable(schema, name, statement.line)
    collected.note_name(reader.tokens[reader.at - 1], name)
    if reader.accept("PARTITION", "OF"):
        raise LeftOut(f"it is a part of {reader.dotted_name()[1]}; {NO_PARTITIONS}")
    if reader.word() != "(":
        raise LeftOut("its columns are not listed: write CREATE TABLE with its columns")
    first = collected.find(schema, name)
    if first is not None and first.schema == schema:
        raise LeftOut(f"there is already a table {name}")
    opening = reader.at
    for element in split_at_commas(reader.group(), has_angles=collected.dialect is CQL):
        read_element(element, table, collected)
    body_end = reader.tokens[reader.at - 1].line
    _read_options(reader, table, collected)
    _keep_comments(statement, table, reader.tokens[opening].line, body_end)
    collected.add(table)


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
            raise LeftOut("write the columns of the other table here")
        elif word == "PERIOD":
            raise LeftOut("PIQL keeps one version of a row")
        else:
            read_column(reader, table, collected)
    except LeftOut as omission:
        collected.note(line, "left out", _omitted(element, table, line), str(omission))


def _omitted(element: Sequence[ForeignToken], table: ImportedTable, line: int) -> str:
    """Return the words for what is left out of an element; a column that is left out whole is remembered as such."""
    first = element[0]
    if first.word in _NO_COLUMNS or not first.is_name:
        return f"{shown(element)} of {table.name}"
    name = unquoted(first)
    if name.lower() in table.folded:  # its type was read, a clause behind it was not
        return f"the rest of {table.name}.{name}"
    table.left_out_columns[name.lower()] = line
    if "PRIMARY" in [token.word for token in element] and not table.primary_key:
        table.primary_key = (name,)
    return f"{table.name}.{name}"


def read_constraint(reader: Reader, table: ImportedTable, collected: Collected) -> None:
    """Read a constraint or an index that stands in a table, or behind ALTER TABLE … ADD.

    Raises LeftOut for one that PIQL does not have, or that cannot be read.
    """
    line, name = reader.line, ""
    if reader.accept("CONSTRAINT"):
        has_name = reader.word() not in _CONSTRAINTS or reader.peek(1) is None
        name = reader.name() if has_name else ""
    if reader.accept("PRIMARY", "KEY"):
        columns = _column_names(reader, table, collected, "PRIMARY KEY")
        if table.primary_key:
            raise LeftOut(f"the table has a primary key already, of line {table.key_line}")
        table.primary_key, table.key_line = columns, line
    elif reader.accept("UNIQUE"):
        reader.accept_any(("KEY", "INDEX"))
        name = name or _index_name(reader)
        columns = _column_names(reader, table, collected, "UNIQUE")
        table.unique_keys.append(ImportedKey(columns, line, name))
    elif reader.accept("FOREIGN", "KEY"):
        if reader.word() != "(":
            reader.name()  # MySQL's name of the index
        read_references(reader, reader.names_in_brackets(), table, collected, name)
    elif reader.accept("CHECK"):
        read_check(reader, table, table.name, name, line)
    elif reader.word() in _INDEXES:
        _read_index(reader, table, collected)
    elif reader.word() == "EXCLUDE":
        raise LeftOut("PIQL has no EXCLUDE: check in the application")
    else:
        raise LeftOut("this constraint is not known")
    skip_index_options(reader)
    if reader.accept("COMMENT"):
        reader.take()
    if not reader.is_at_end:
        collected.note(reader.line, "left out", f"{shown(reader.rest())} of {table.name}", "PIQL has no such option")


def _index_name(reader: Reader) -> str:
    """Take the name that may stand before the columns of a key, and USING behind it; return '' where there is none."""
    token = reader.peek()
    name = reader.name() if token is not None and token.is_name and token.word not in _KEY_WORDS else ""
    if reader.accept("USING"):
        reader.take()
    return name


def _column_names(reader: Reader, table: ImportedTable, collected: Collected, key: str) -> tuple[str, ...]:
    """Take the columns of a PRIMARY KEY or UNIQUE; their directions do not matter there."""
    return tuple(column.name for column in key_columns(reader, table, collected, key))


def key_columns(reader: Reader, table: ImportedTable, collected: Collected, key: str) -> tuple[KeyColumn, ...]:
    """Take the columns of a key or an index, in brackets; CQL has a second pair around those of the partition.

    `key` is what a note calls the key: `PRIMARY KEY`, `UNIQUE` or `index by_name`. Raises LeftOut where a part is no
    column.
    """
    while reader.accept_any(_KEY_WORDS):
        reader.accept("NOT")
        reader.accept_any(("DISTINCT", "BTREE", "HASH"))
    columns: list[KeyColumn] = []
    for part in split_at_commas(reader.group()):
        if part[0].text == "(" and collected.dialect is CQL:
            columns += [KeyColumn(unquoted(token)) for token in part if token.is_name]
        else:
            columns.append(_key_column(part, table, collected, key))
    return tuple(columns)


def _key_column(part: Sequence[ForeignToken], table: ImportedTable, collected: Collected, key: str) -> KeyColumn:
    """Return one column of a key; raise LeftOut for anything but a column."""
    inner = Reader(part)
    token = inner.peek()
    if token is None or not (token.is_name or token.kind == "string"):
        raise LeftOut(_NO_EXPRESSIONS)
    name = inner.name()
    if inner.word() == "(":
        argument = inner.group()
        if len(argument) != 1 or argument[0].kind != "number":
            raise LeftOut(_NO_EXPRESSIONS)
        if key == "UNIQUE":
            raise LeftOut(
                f"only the first {argument[0].text} characters of {name} are unique: PIQL compares whole values"
            )
        reason = f"holds the whole of {name}, not its first {argument[0].text} characters"
        collected.note(token.line, "changed", f"{key} of {table.name}", reason)
    is_descending = False
    while not inner.is_at_end:
        option = inner.take()
        is_descending = is_descending or option.word == "DESC"
        if not option.is_name:
            raise LeftOut(_NO_EXPRESSIONS)
    return KeyColumn(name, is_descending)


def _read_index(reader: Reader, table: ImportedTable, collected: Collected) -> None:
    """Read `INDEX name (columns)` as MySQL and SQL Server write it inside a table."""
    kind = reader.take().word
    if kind in ("FULLTEXT", "SPATIAL"):
        raise LeftOut(no_index_of_kind(kind))
    line = reader.line
    name = _index_name(reader)
    columns = key_columns(reader, table, collected, f"index {name}")
    table.indexes.append(ImportedIndex(name, columns, line))


def no_index_of_kind(kind: str) -> str:
    """Say why an index of a kind such as FULLTEXT is left out, and what to do instead."""
    if kind == "FULLTEXT":
        return "PIQL derives an index of words from the queries that search for one: column CONTAINS [word]"
    return f"PIQL has no index of the kind {kind}"


def _read_options(reader: Reader, table: ImportedTable, collected: Collected) -> None:
    """Read the options behind the columns: those that say what rows mean are noted each, all others in one note."""
    ignored: list[ForeignToken] = []
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
            ignored.append(reader.take())
    options = [token for token in ignored if token.word not in _SILENT_OPTIONS]
    if options:
        reason = "they say how a database stores the table, not what it contains"
        subject = f"options of {table.name} ({shown(options, _SHOWN_OPTIONS)})"
        collected.note(options[0].line, "left out", subject, reason)


def _keep_comments(statement: Statement, table: ImportedTable, first: int, last: int) -> None:
    """Keep the comments above the table, and those beside a column, on its line.

    `first` and `last` are the lines between which the columns stand.
    """
    above = [comment for comment in statement.comments if comment.line < statement.line]
    table.comments[:0] = [
        text for comment in above if not _NOISE.match(comment.text) for text in _comment_lines(comment.text)
    ]
    beside = {comment.line: comment.text for comment in statement.comments if first <= comment.line <= last}
    last_of_line = {column.line: column for column in table.columns}
    for line, text in beside.items():
        column = last_of_line.get(line)
        lines = _comment_lines(text)
        if column is not None and not column.comment and len(lines) == 1:
            column.comment = lines[0]


def _comment_lines(comment: str) -> list[str]:
    """Return the text of a comment by lines, without its marks such as `--` and `/*`."""
    is_block = comment.startswith("/*")
    lines = comment[2:].removesuffix("*/").splitlines() if is_block else [comment.lstrip("-/#")]
    return [text for line in lines if (text := line.strip().strip("*-=/ ").strip())]
