"""All rows of a table as a file: written to disk first, then sent, so a slow client holds no read of the store."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from pathlib import Path
from typing import get_args

from fastapi.responses import Response
from piql.client.table_pages import table_pages
from piql.files.dumping import dump_rows

from piql_backend.stores.connection import StoreConnection
from piql_backend.tables.schemas import ExportFormat
from piql_backend.tables.service import Tables
from piql_backend.web.downloads import download

_MEDIA_TYPES: dict[ExportFormat, str] = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/jsonl",
    "parquet": "application/vnd.apache.parquet",
}
assert set(_MEDIA_TYPES) == set(get_args(ExportFormat))
_AT_ONCE = 2  # files that are written at the same time


class Exports:
    """Exports tables of one environment by files in a folder of its data."""

    def __init__(self, folder: Path, store: StoreConnection, tables: Tables) -> None:
        self._folder = folder
        self._store = store
        self._tables = tables
        self._turns = asyncio.Semaphore(_AT_ONCE)

    def open(self) -> None:
        """Remove the files of a process that was killed."""
        shutil.rmtree(self._folder, ignore_errors=True)

    async def of_table(self, name: str, file_format: ExportFormat) -> Response:
        """Return the answer that sends the table; its file is removed afterwards. NotFound for an unknown table."""
        table = await asyncio.to_thread(self._tables.table, name)
        self._folder.mkdir(parents=True, exist_ok=True)
        scratch = tempfile.TemporaryDirectory(dir=self._folder, prefix="export-")
        path = Path(scratch.name) / f"rows.{file_format}"

        def write() -> None:
            dump_rows(table.columns, table_pages(self._store.database(), name), path, file_format)

        try:
            async with self._turns:
                await asyncio.to_thread(write)
        except BaseException:
            scratch.cleanup()
            raise
        return download(path, f"{name}.{file_format}", _MEDIA_TYPES[file_format], scratch)
