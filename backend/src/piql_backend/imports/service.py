"""Imports: a file comes in parts, a thread checks or loads it, and what it says is kept until the next run."""

from __future__ import annotations

import asyncio
import logging
import shutil
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from secrets import token_hex

from piql.errors import PiqlError
from piql.files.formats import Format, format_of
from piql.files.loading import FileLoad, LoadRefused
from piql.files.mapping import map_columns
from piql.files.problems import FileRefused, Problem
from piql.files.source import Source, open_source
from piql.files.values import as_written
from pydantic import JsonValue

from piql_backend.imports.schemas import FileProblemRead, ImportCreate, ImportRead, ImportRun, State
from piql_backend.stores.connection import StoreConnection
from piql_backend.tables.service import Tables
from piql_backend.web.background_work import BackgroundWork
from piql_backend.web.errors import ApiError, NotFound, from_engine
from piql_backend.web.uploads import FilePart, append_part, decoded_part

log = logging.getLogger(__name__)

MOST_KEPT = 10
_SAMPLE_ROWS = 5
_SAMPLE_CHARACTERS = 200  # of each value
_AT_REST: frozenset[State] = frozenset({"ready", "checked", "stopped", "refused", "loaded", "failed"})
_RUNNING: frozenset[State] = frozenset({"checking", "loading"})


@dataclass
class _Import:
    """One import. `suggested` has for each column of the file the table's column of that name, or None.

    `counts` are rows that are new, changed and unchanged. `partly` is the first and last line of a batch of which only
    a part may be in. One thread at a time changes an import: the one that holds `lock` while it is uploaded, then the
    one that runs it.
    """

    id: str
    request: ImportCreate
    file_format: Format
    path: Path
    state: State = "uploading"
    uploaded: int = 0
    source: Source | None = None
    suggested: list[str | None] = field(default_factory=list)
    sample: list[list[JsonValue]] = field(default_factory=list)
    rows_done: int = 0
    line: int = 0
    counts: tuple[int, int, int] = (0, 0, 0)
    rows_in: int = 0
    line_in: int = 0
    skipped: int = 0
    partly: tuple[int, int] | None = None
    problems: tuple[Problem, ...] = ()
    is_more: bool = False
    message: str | None = None
    stop: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)


class Imports:
    """The imports since the environment was opened; one of them runs at a time."""

    def __init__(self, folder: Path, store: StoreConnection, tables: Tables) -> None:
        self._folder = folder
        self._store = store
        self._tables = tables
        self._imports: dict[str, _Import] = {}
        self._start = token_hex(3)  # so that an id of an earlier start means no import of this one
        self._number = 0
        self._work = BackgroundWork()

    @property
    def is_under_way(self) -> bool:
        """Whether a file is checked or loaded."""
        return self._work.is_under_way

    def open(self) -> None:
        """Remove what a process left that was killed."""
        shutil.rmtree(self._folder, ignore_errors=True)

    async def close(self) -> None:
        """Stop what runs behind its batch, and remove the files."""
        for job in self._imports.values():
            job.stop.set()
        await self._work.wait()
        await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)

    async def create(self, request: ImportCreate) -> ImportRead:
        """Make room for a file."""
        await asyncio.to_thread(self._tables.table, request.table)
        try:
            file_format = format_of(Path(request.file_name))
        except FileRefused as refusal:
            raise ApiError(422, "file-refused", f"{refusal}.", parameter="file_name") from None
        removable = [job for job in self._imports.values() if job.state not in _RUNNING]
        for job in removable[: max(0, len(self._imports) + 1 - MOST_KEPT)]:
            self._remove(job)
        self._number += 1
        self._folder.mkdir(parents=True, exist_ok=True)
        import_id = f"i{self._start}-{self._number}"
        path = self._folder / f"{import_id}.{file_format}"
        path.write_bytes(b"")
        job = _Import(import_id, request, file_format, path)
        self._imports[job.id] = job
        if request.size == 0:
            await asyncio.to_thread(self._open, job)
        return _read(job)

    async def add_part(self, import_id: str, part: FilePart) -> ImportRead:
        """Append bytes; with the last of them the file is looked at."""
        job = self._import(import_id)
        await asyncio.to_thread(self._append, job, part.offset, decoded_part(part))
        return _read(job)

    def _append(self, job: _Import, offset: int, content: bytes) -> None:
        """Write a part behind those that are there, and look at the file once it is whole."""
        with job.lock:
            if job.state != "uploading":
                message = f"{job.uploaded} of {job.request.size} bytes have arrived."
                raise ApiError(409, "import-state", message, "Send the part that begins at that byte.")
            job.uploaded = append_part(job.path, offset, content, job.uploaded, job.request.size)
            if job.uploaded == job.request.size:
                self._open(job)

    def read(self, import_id: str) -> ImportRead:
        return _read(self._import(import_id))

    async def run(self, import_id: str, request: ImportRun) -> ImportRead:
        """Begin a dry run or a load in a thread of its own."""
        job = self._import(import_id)
        if job.state not in _AT_REST or job.source is None:
            raise ApiError(409, "import-state", f"The import is {job.state}.", "Wait until it has ended or stopped.")
        running = next((job for job in self._imports.values() if job.state in _RUNNING), None)
        if running is not None:
            message = f"{running.request.file_name} is {running.state} into {running.request.table}."
            raise ApiError(409, "import-under-way", message, "Wait for it, or stop it.")
        job.state = "checking" if request.dry_run else "loading"
        job.problems, job.is_more, job.message, job.partly = (), False, None, None
        job.rows_done = job.line = 0
        job.counts = (0, 0, 0)
        job.stop.clear()
        self._work.begin(asyncio.to_thread(self._carry_out, job, request))
        return _read(job)

    def cancel(self, import_id: str) -> ImportRead:
        """Stop a run behind its batch."""
        job = self._import(import_id)
        if job.state not in _RUNNING:
            raise ApiError(409, "import-state", f"The import is {job.state}: there is nothing to stop.")
        job.stop.set()
        return _read(job)

    async def delete(self, import_id: str) -> None:
        """Forget an import and its file; rows that are in stay."""
        job = self._import(import_id)
        if job.state in _RUNNING:
            raise ApiError(409, "import-state", f"The import is {job.state}.", "Stop it first.")
        self._remove(job)

    def _remove(self, job: _Import) -> None:
        self._imports.pop(job.id, None)
        job.path.unlink(missing_ok=True)

    def _import(self, import_id: str) -> _Import:
        job = self._imports.get(import_id)
        if job is None:
            raise NotFound(
                "unknown-import",
                f"The workbench does not know import {import_id[:60]}: it was removed, or the workbench was stopped.",
                "Rows that it had loaded by then are in. Upload the file again and load it: they stay as they are.",
            )
        return job

    def _suggest(self, job: _Import, source: Source) -> list[str | None]:
        """Return for each column of the file the table's column of that name, whatever the case; None where none is."""
        names = {column.name.lower(): column.name for column in self._tables.table(job.request.table).columns}
        return [names.get(name.strip().lower()) for name in source.columns]

    def _open(self, job: _Import) -> None:
        """Read what the columns are, and the first rows."""

        def look() -> None:
            source = open_source(job.path, job.file_format, job.request.delimiter)
            problems = source.structure_problems()
            job.problems = tuple(problems)
            if problems:
                job.message, job.state = "The file is damaged: no row of it can be read.", "refused"
                return
            job.sample = [
                [None if value is None else as_written(value, _SAMPLE_CHARACTERS) for value in values]
                for _, values in islice(source.rows(), _SAMPLE_ROWS)
            ]
            job.suggested = self._suggest(job, source)
            job.source, job.state = source, "ready"

        self._guarded(job, look)

    def _carry_out(self, job: _Import, request: ImportRun) -> None:
        def work() -> None:
            database = self._store.database()
            assert job.source is not None
            job.suggested = self._suggest(job, job.source)  # the table may have changed since
            renamed = {name: column or "" for name, column in request.mapping.items()}
            for name, column in zip(job.source.columns, job.suggested, strict=True):
                if column is not None and name != column:
                    renamed.setdefault(name, column)
            mapping = map_columns(
                database.deployment.table(job.request.table), job.source.columns, renamed, request.bytes_form
            )
            load = FileLoad(database, job.source, mapping, f"file {job.request.file_name}")

            def tell(rows: int, line: int) -> None:
                job.rows_done, job.line = rows, line

            if request.dry_run:
                report = load.dry_run(tell, job.stop.is_set)
                job.rows_done = report.rows
                job.counts = (report.new, report.changed, report.unchanged)
                job.problems, job.is_more = report.problems, report.is_more
                job.state = "stopped" if job.stop.is_set() else "checked"
                return
            loaded = load.load(tell, job.stop.is_set, is_resumed=request.resume)
            job.rows_in, job.line_in, job.skipped = loaded.rows, loaded.line, loaded.skipped
            job.rows_done, job.line = loaded.rows, loaded.line
            job.state = "loaded" if loaded.is_complete else "stopped"

        self._guarded(job, work)

    def _guarded(self, job: _Import, work: Callable[[], None]) -> None:
        """Do work, and keep in the import what stops it."""
        try:
            work()
        except LoadRefused as refusal:
            job.problems, job.is_more, job.partly = refusal.problems, refusal.is_more, refusal.may_be_partly_in
            job.rows_in, job.line_in, job.skipped = refusal.loaded.rows, refusal.loaded.line, refusal.loaded.skipped
            job.message, job.state = "Rows are refused.", "refused"
        except FileRefused as refusal:
            job.problems, job.is_more = refusal.problems, refusal.is_more
            job.message, job.state = f"{refusal}.", "refused"
        except (PiqlError, ApiError) as error:
            body = error.body if isinstance(error, ApiError) else from_engine(error).body
            job.message, job.state = body.message, "failed"
        except Exception as error:
            log.exception("the import of %s failed", job.request.file_name)
            job.message, job.state = f"The import failed: {error}", "failed"


def _read(job: _Import) -> ImportRead:
    new, changed, unchanged = job.counts
    return ImportRead(
        id=job.id,
        table=job.request.table,
        file_name=job.request.file_name,
        state=job.state,
        size=job.request.size,
        uploaded=job.uploaded,
        columns=[] if job.source is None else list(job.source.columns),
        suggested=job.suggested,
        sample=job.sample,
        rows_total=None if job.source is None else job.source.row_count,
        rows_done=job.rows_done,
        line=job.line,
        new=new,
        changed=changed,
        unchanged=unchanged,
        rows_in=job.rows_in,
        line_in=job.line_in,
        skipped=job.skipped,
        partly_from=None if job.partly is None else job.partly[0],
        partly_to=None if job.partly is None else job.partly[1],
        problems=[FileProblemRead.model_validate(problem) for problem in job.problems],
        is_more=job.is_more,
        message=job.message,
    )
