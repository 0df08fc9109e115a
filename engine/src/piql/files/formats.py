"""The formats of files, by the ending of the name."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

from piql.files.problems import FileRefused

Format: TypeAlias = Literal["csv", "jsonl", "parquet"]
FORMATS: tuple[Format, ...] = ("csv", "jsonl", "parquet")
_ENDINGS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".json": "jsonl",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}


def format_of(path: Path) -> Format:
    """Return the format that the name of a file says; raise FileRefused where it says none."""
    file_format = _ENDINGS.get(path.suffix.lower())
    if file_format is None:
        raise FileRefused("its format is not known: end the name with .csv, .tsv, .jsonl or .parquet")
    return file_format
