"""The entry of an import, and what it returns: PIQL with a head, the tables, the queries and the lists of notes.

`decoded` makes a text of a file's bytes, `import_text` imports it. All else writes the head and the lists, which are
comments:

    -- Imported from shop.sql, PostgreSQL: 4 tables, from 49 of 52 statements.
    -- Left out:
    --   users.tags (line 12): it holds several values: use a second table …
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from piql.importing.collected import Collected
from piql.importing.dialects import AUTO, DIALECTS, Dialect, recognise
from piql.importing.queries import ImportedQueries, QuerySource, import_queries, query_sources
from piql.importing.reading import UNKNOWN, read_statements
from piql.importing.resolving import resolve
from piql.importing.scanning import scan
from piql.importing.schema import Note, ReadStatement
from piql.importing.statements import statements_of
from piql.importing.tokens import ImportRefused
from piql.importing.writing import comment, table_text

# First bytes of a file that is no text → what it is.
_BINARY = {b"PGDMP": "pg_dump's own format: write a plain one with `pg_restore --file=schema.sql`"}
_PACKED = {b"\x1f\x8b": "gzip", b"PK\x03\x04": "zip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bzip2"}
_INDEX = re.compile(r"CREATE\s+(?:UNIQUE\s+)?INDEX\b", re.IGNORECASE)
_SHOWN = 6  # subjects of one reason in the text; the notes hold all of them
# Beginning of a dump → the line with which a whole one ends.
_DUMP_ENDS = {"-- PostgreSQL database dump": "database dump complete", "-- MySQL dump": "-- Dump completed"}
_DUMP_HEAD = 300  # characters in which the beginning stands …
_DUMP_TAIL = 400  # … and the end


@dataclass(frozen=True, slots=True)
class Imported:
    """PIQL, and what became of the input.

    `text` is the whole file of PIQL, with the tables and queries named in `tables` and `queries`; `dialect` is that of
    the input. `statements` holds every statement of the input in its order, those that follow each other and are left
    out for one reason as one with a `count`. `notes` holds each change and each omission by line, whole statements
    among them.
    """

    text: str
    dialect: str
    tables: tuple[str, ...]
    queries: tuple[str, ...]
    statements: tuple[ReadStatement, ...]
    notes: tuple[Note, ...]


def decoded(data: bytes) -> str:
    """Return the text of a file, in UTF-16 if it has that byte order mark, else in UTF-8.

    Raises ImportRefused, where possible with a line, if the file is no text.
    """
    for signature, reason in _BINARY.items():
        if data.startswith(signature):
            raise ImportRefused(f"this is {reason}")
    for signature, kind in _PACKED.items():
        if data.startswith(signature):
            raise ImportRefused(f"this is packed by {kind}: unpack it first")
    is_utf_16 = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    encoding, title = ("utf-16", "UTF-16") if is_utf_16 else ("utf-8-sig", "UTF-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ImportRefused(f"this is not {title} text: save it as UTF-8", line) from None
    if "\0" in text:
        raise ImportRefused("this is not text: it contains a zero byte", text.count("\n", 0, text.index("\0")) + 1)
    return text


def import_text(
    text: str,
    dialect: str = AUTO,
    file: str = "",
    queries: Mapping[str, str] | None = None,
    programs: Mapping[str, str] | None = None,
) -> Imported:
    """Return a schema, and queries of it, as PIQL. Raise ImportRefused, with a line, where a text is cut off or no SQL.

    `dialect` is a name of DIALECTS or `auto`; `file` is the name of the file in the notes, '' for none. `queries` are
    texts of queries by the names of their files; `programs` are files of an application, whose queries are looked for.
    """
    source_dialect = recognise(text) if dialect == AUTO else DIALECTS[dialect]
    collected = Collected(source_dialect, file)
    statements = read_statements(statements_of(text, source_dialect), collected)
    if text.strip() and not statements:
        raise ImportRefused("there is no statement in this text", 1)
    if statements and all(statement.reason == UNKNOWN for statement in statements):
        raise ImportRefused("this is not SQL: none of its statements is known", statements[0].line)
    left_out = resolve(collected)
    by_line: dict[int, list[Note]] = {}
    for note in collected.notes:
        by_line.setdefault(note.line, []).append(note)
    statements = [_settled(statement, left_out, by_line, collected) for statement in statements]
    _note_missing_end(text, collected)
    for statement in statements:
        if statement.outcome == "left out":
            times = f"{statement.count:,} statements, {statement.words}" if statement.count > 1 else statement.words
            collected.note(statement.line, "left out", times, statement.reason)
    notes = sorted(collected.notes, key=lambda note: note.line)
    tables = tuple(table.name for table in collected.tables)
    schema = [_head(source_dialect.title, file, statements, tables), *map(table_text, collected.tables)]
    imported_queries = _read_queries(queries or {}, programs or {}, "\n".join(schema), source_dialect)
    notes += imported_queries.notes
    query_texts = [imported_queries.text] if imported_queries.text else []
    return Imported(
        text="\n".join([*schema, *query_texts, *_lists(notes)]),
        dialect=source_dialect.name,
        tables=tables,
        queries=imported_queries.names,
        statements=(*statements, *imported_queries.statements),
        notes=tuple(notes),
    )


def _settled(
    statement: ReadStatement, left_out: dict[int, str], by_line: dict[int, list[Note]], collected: Collected
) -> ReadStatement:
    """Return what became of a statement once all tables are known.

    `left_out` holds the lines of tables that could not be resolved, `by_line` all notes. A CREATE INDEX whose index is
    left out is left out as a whole, so the note of the index is removed.
    """
    if statement.outcome == "left out":
        return statement
    if statement.line in left_out:
        return replace(statement, outcome="left out", reason=left_out[statement.line])
    lines = range(statement.line, statement.last_line + 1)
    notes = [note for line in lines for note in by_line.get(line, ())]
    omissions = [note for note in notes if note.outcome == "left out"]
    if omissions and _INDEX.match(statement.words):
        for note in omissions:
            collected.notes.remove(note)
        return replace(statement, outcome="left out", reason=omissions[0].reason)
    return replace(statement, outcome="changed") if notes else statement


def _read_queries(
    files: Mapping[str, str], programs: Mapping[str, str], schema: str, dialect: Dialect
) -> ImportedQueries:
    """Import the queries in files of SQL and in programs; `schema` is PIQL already."""
    sources: list[QuerySource] = []
    no_queries: list[ReadStatement] = []
    notes: list[Note] = []
    for file, text in files.items():
        try:
            queries, left_out = query_sources(text, dialect, file)
        except ImportRefused as refused:
            raise ImportRefused(refused.reason, refused.line, file) from None
        sources += queries
        no_queries += left_out
        notes += [Note(statement.line, "left out", statement.words, statement.reason, file) for statement in left_out]
    scanned, notes_of_programs = scan(programs, dialect)
    notes += notes_of_programs
    imported = import_queries([*sources, *scanned], schema, dialect)
    return replace(imported, statements=(*imported.statements, *no_queries), notes=(*imported.notes, *notes))


def _note_missing_end(text: str, collected: Collected) -> None:
    """Note where the last line of a dump is missing: the statements behind may be lost."""
    for head, end in _DUMP_ENDS.items():
        if head in text[:_DUMP_HEAD] and end not in text[-_DUMP_TAIL:]:
            reason = "the line with which a dump ends is missing: it may be cut off"
            collected.note(text.count("\n") + 1, "left out", "the end of the file", reason)


def _head(title: str, file: str, statements: list[ReadStatement], tables: tuple[str, ...]) -> str:
    """Return the comment at the beginning of the PIQL: origin and counts."""
    total = sum(statement.count for statement in statements)
    taken = sum(statement.count for statement in statements if statement.outcome != "left out")
    counted = f"{len(tables)} table{'s' * (len(tables) != 1)}, from {taken:,} of {total:,} statements"
    source = f"{file}, " if file else ""
    end = "The end of this file lists what changed and what is left out, with its line."
    return f"{comment(f'Imported from {source}{title}: {counted}.')}\n-- {end}\n"


def _lists(notes: Iterable[Note]) -> list[str]:
    """Return the notes as comments, those of one reason together: a text for the changes, and one for the omissions."""
    texts: list[str] = []
    for outcome, title in (("changed", "Changed"), ("left out", "Left out")):
        reasons: dict[str, list[Note]] = {}
        for note in notes:
            if note.outcome == outcome:
                reasons.setdefault(note.reason, []).append(note)
        lines = [comment(f"  {_subjects(group)}: {reason}") for reason, group in reasons.items()]
        if lines:
            texts.append("\n".join([f"-- {title}:", *lines]) + "\n")
    return texts


def _subjects(notes: list[Note]) -> str:
    """Return the subjects of the first notes with their lines: `a, b and 3 more (lines 1, 2 …)`."""
    lines = list(dict.fromkeys(f"{note.line}" for note in notes))
    word = "line" if len(lines) == 1 else "lines"
    more = f" and {len(notes) - _SHOWN} more" if len(notes) > _SHOWN else ""
    shown_lines = ", ".join(lines[:_SHOWN]) + (" …" if len(lines) > _SHOWN else "")
    return f"{', '.join(note.subject for note in notes[:_SHOWN])}{more} ({word} {shown_lines})"
