"""Which of some files become those of an application: PIQL or, where there is none, SQL, which is written as PIQL."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from piql.importing import ImportRefused, import_text

from piql_backend.application_imports.staged import ImportNote, Staged, StagingRefused, write_staged
from piql_backend.applications.file_names import first_clash
from piql_backend.archives.layout import MOST_TEXT_BYTES
from piql_backend.web.schemas import MOST_CHARACTERS, MOST_FILES, is_file_path

SQL_ENDINGS = (".sql", ".cql", ".ddl")
PIQL_ENDING = ".piql"
MOST_SQL_BYTES = 4_000_000
_SCHEMA = "schema.piql"
_MOST_NOTES = 200


def take_texts(texts: Mapping[str, str], dialect: str = "auto") -> tuple[dict[str, str], tuple[ImportNote, ...]]:
    """The files of an application that some files make, and what is changed or left out.

    Raises StagingRefused where there is nothing to take, too much, or SQL that cannot be read.
    """
    piql = {path: text for path, text in sorted(texts.items()) if path.endswith(PIQL_ENDING)}
    sql = {path: text for path, text in sorted(texts.items()) if path.lower().endswith(SQL_ENDINGS)}
    taken = {path: text for path, text in piql.items() if is_file_path(path)}
    notes = [
        _left_out(path, "the name of a file consists of letters, digits, '_', '-', '.' and '/'")
        for path in piql
        if path not in taken
    ]
    if taken:
        notes += [_left_out(path, "it is SQL, and the import has PIQL files") for path in sql]
    elif sql:
        taken, notes = _translated(sql, dialect)
    else:
        reason = "there is no file that ends in .piql, .sql, .cql or .ddl"
        raise StagingRefused(reason, "Name the folder that holds them.")
    _refuse_large(taken)
    if (clash := first_clash(taken)) is not None:
        reason = f"{clash[0]} and {clash[1]} differ in capital letters only, or one is a folder of the other"
        raise StagingRefused(reason, "Rename one of them.")
    return taken, shortened(notes)


def needs_translation(texts: Mapping[str, str]) -> bool:
    """Whether SQL has to be read to take these files."""
    return not any(map(is_file_path, texts)) and any(path.lower().endswith(SQL_ENDINGS) for path in texts)


def stage_texts(title: str, texts: Mapping[str, str], into: Path, dialect: str = "auto") -> None:
    """Write some files as a staged application. Raises StagingRefused."""
    taken, notes = take_texts(texts, dialect)
    write_staged(into, Staged(title=title, notes=notes), taken)


def _translated(sql: Mapping[str, str], dialect: str) -> tuple[dict[str, str], list[ImportNote]]:
    """One schema of all files of SQL, which are read one after the other as one text."""
    starts: list[tuple[int, str]] = []  # the line before the first one of each file
    lines = 0
    for path, text in sql.items():
        starts.append((lines, path))
        lines += text.count("\n") + 1

    def place(line: int) -> str:
        start, path = next(entry for entry in reversed(starts) if entry[0] < line or entry[0] == 0)
        return f"{path[:200]}, line {line - start}"

    try:
        imported = import_text("\n".join(sql.values()), dialect)
    except ImportRefused as refused:
        where = place(refused.line) if refused.line is not None else ", ".join(sql)[:200]
        raise StagingRefused(f"{where}: {refused.reason}") from None
    notes = [
        ImportNote(
            what=f"{note.subject} ({place(note.line)})",
            why=note.reason,
            outcome=None if note.outcome == "taken" else note.outcome,
        )
        for note in imported.notes
    ]
    return {_SCHEMA: imported.text}, notes


def _left_out(path: str, why: str) -> ImportNote:
    return ImportNote(what=path[:200], why=why, outcome="left out")


def _refuse_large(texts: Mapping[str, str]) -> None:
    if len(texts) > MOST_FILES:
        raise StagingRefused(f"there are {len(texts):,} files, and an application has at most {MOST_FILES}")
    for path, text in texts.items():
        refuse_long(path, text)
    if sum(len(text) for text in texts.values()) > MOST_TEXT_BYTES:
        raise StagingRefused(f"the files have more than {MOST_TEXT_BYTES:,} characters")


def refuse_long(what: str, text: str) -> None:
    """Raise StagingRefused for a text that nobody could save as a file of an application."""
    if len(text) > MOST_CHARACTERS:
        raise StagingRefused(f"{what} has more than {MOST_CHARACTERS:,} characters")


def shortened(notes: list[ImportNote]) -> tuple[ImportNote, ...]:
    """Return the first notes; the last says how many more there are."""
    if len(notes) <= _MOST_NOTES:
        return tuple(notes)
    rest = ImportNote(what=f"{len(notes) - _MOST_NOTES:,} more", why="they are not listed here")
    return (*notes[:_MOST_NOTES], rest)
