"""Rows into a file: CSV, JSON lines, or Parquet. The file has its name only when it is complete."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import IO, Any

from piql.files.duck import csv_scan, literal, open_duck, refusing
from piql.files.formats import Format
from piql.files.values import FILE_TYPES, BytesForm, writer_of
from piql.schema.catalog import Column, Kind
from piql.store.rows import Row

Pages = Iterable[Sequence[Row]]


def dump_rows(
    columns: Sequence[Column],
    pages: Pages,
    path: Path,
    file_format: Format,
    form: BytesForm = "base64",
    tell: Callable[[int], None] | None = None,
) -> int:
    """Write rows into a new file and return how many; `tell` is called after each page with the rows so far.

    Raises FileExistsError where there is a file of that name, FilesUnavailable for Parquet without DuckDB. Interrupted,
    it leaves no file.
    """
    if path.exists():
        raise FileExistsError(f"{path} exists already and is not overwritten: choose another name")
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
        part = Path(folder) / "part"
        if file_format == "parquet":
            duck = open_duck(Path(folder))
            text = Path(folder) / "rows.csv"
            with text.open("w", encoding="utf-8", newline="") as file:
                count = write_csv(file, columns, pages, "base64", tell)
            _to_parquet(duck, columns, text, part)
        else:
            write = write_csv if file_format == "csv" else write_json_lines
            with part.open("w", encoding="utf-8", newline="") as file:
                count = write(file, columns, pages, form, tell)
                file.flush()
                os.fsync(file.fileno())
        os.link(part, path)  # refused where somebody made a file of that name meanwhile
    return count


def write_csv(
    file: IO[str],
    columns: Sequence[Column],
    pages: Pages,
    form: BytesForm = "base64",
    tell: Callable[[int], None] | None = None,
) -> int:
    """Write a header and the rows; texts stand in quotes, NULL is nothing."""
    file.write(",".join(_quoted(column.name) for column in columns) + "\n")
    writers = [_csv_cell(column, form) for column in columns]
    return _write(file, writers, pages, lambda cells: ",".join(cells), tell)


def write_json_lines(
    file: IO[str],
    columns: Sequence[Column],
    pages: Pages,
    form: BytesForm = "base64",
    tell: Callable[[int], None] | None = None,
) -> int:
    """Write one JSON object a line."""
    names = [json.dumps(column.name, ensure_ascii=False) for column in columns]
    writers = [_json_cell(column, form) for column in columns]

    def line(cells: list[str]) -> str:
        return "{" + ", ".join(f"{name}: {cell}" for name, cell in zip(names, cells, strict=True)) + "}"

    return _write(file, writers, pages, line, tell)


def _write(
    file: IO[str],
    writers: Sequence[Callable[[Any], str]],
    pages: Pages,
    line: Callable[[list[str]], str],
    tell: Callable[[int], None] | None,
) -> int:
    count = 0
    for page in pages:
        for row in page:
            file.write(line([write(value) for write, value in zip(writers, row, strict=True)]) + "\n")
        count += len(page)
        if tell is not None:
            tell(count)
    return count


def _csv_cell(column: Column, form: BytesForm) -> Callable[[Any], str]:
    write = writer_of(column.type, form)
    if not FILE_TYPES[column.type.kind].is_text:
        return lambda value: "" if value is None else write(value)
    return lambda value: "" if value is None else _quoted(write(value))


def _json_cell(column: Column, form: BytesForm) -> Callable[[Any], str]:
    write = writer_of(column.type, form)
    if not FILE_TYPES[column.type.kind].is_json_text:
        return lambda value: "null" if value is None else write(value)
    return lambda value: "null" if value is None else json.dumps(write(value), ensure_ascii=False)


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _to_parquet(duck: Any, columns: Sequence[Column], text: Path, part: Path) -> None:
    """Let DuckDB read the CSV that was written, and write it with the types of the columns."""
    selected = ", ".join(_typed(f"c{at}", column) for at, column in enumerate(columns))
    copy = f"COPY (SELECT {selected} FROM {csv_scan(len(columns))}) TO {literal(str(part))} (FORMAT parquet)"
    with refusing("the rows cannot be written as Parquet"):
        duck.execute(copy, [str(text)])


def _typed(name: str, column: Column) -> str:
    quoted = '"' + column.name.replace('"', '""') + '"'
    if column.type.kind is Kind.BLOB:
        return f"from_base64({name}) AS {quoted}"
    return f"CAST({name} AS {FILE_TYPES[column.type.kind].parquet(column.type)}) AS {quoted}"
