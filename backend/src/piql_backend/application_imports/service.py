"""Imports of applications: each is staged in a folder of its own, shown, and becomes an application or is discarded."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from piql.store.schemes import CQL, EMBEDDED, scheme_of

from piql_backend.application_imports.allowed_sources import AllowedSources
from piql_backend.application_imports.keyspaces import stage_keyspace
from piql_backend.application_imports.schemas import (
    ApplicationImportRead,
    ArchiveCreate,
    FilesCreate,
    FolderCreate,
    ImportedApplicationCreate,
    ImportedEnvironmentRead,
    ImportedFileRead,
    ImportNoteRead,
    KeyspaceCreate,
    RepositoryCreate,
    Source,
)
from piql_backend.application_imports.staged import HISTORY, Staged, StagingRefused, read_staged, staged_texts
from piql_backend.application_imports.staging import refusal_of, stage
from piql_backend.application_imports.texts import needs_translation, stage_texts
from piql_backend.applications.schemas import ApplicationSummaryRead
from piql_backend.archives.layout import ArchivedEnvironment
from piql_backend.environments.allowed_stores import AllowedStores
from piql_backend.environments.changes import EnvironmentChanges
from piql_backend.environments.schemas import (
    EnvironmentUpdate,
    ReferenceRead,
    StoreChoiceRead,
    StoreWrite,
    TlsRead,
)
from piql_backend.environments.settings_file import url_of
from piql_backend.lifecycle import Lifecycle
from piql_backend.web.errors import ApiError, NotFound
from piql_backend.web.uploads import FilePart, append_part, decoded_part
from piql_backend.web.visitor import Visitor

MOST_KEPT = 10
_AT_ONCE = 2  # processes that stage
_STAGED = "staged"
_UPLOAD = "upload.zip"


@dataclass
class _Import:
    """One import; `staged` is what is said of it once it is staged. One request at a time changes it."""

    id: str
    source: Source
    name: str
    folder: Path
    owner: int | None  # the account of whoever began it; None where nobody signs in
    size: int = 0
    uploaded: int = 0
    staged: Staged | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class ApplicationImports:
    """The imports since the workbench was started; none of them is an application before somebody says so."""

    def __init__(
        self,
        folder: Path,
        lifecycle: Lifecycle,
        environment_changes: EnvironmentChanges,
        allowed_sources: AllowedSources,
        allowed_stores: AllowedStores,
    ) -> None:
        self._folder = folder
        self._lifecycle = lifecycle
        self._environment_changes = environment_changes
        self._allowed_sources = allowed_sources
        self._allowed_stores = allowed_stores
        self._imports: dict[str, _Import] = {}
        self._number = 0
        self._turns = asyncio.Semaphore(_AT_ONCE)

    def open(self) -> None:
        """Remove what a process left that was killed."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def close(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def announce(self, request: ArchiveCreate, visitor: Visitor | None) -> ApplicationImportRead:
        """Make room for an archive, which comes in parts."""
        job = self._new("archive", request.file_name, visitor)
        job.size = request.size
        (job.folder / _UPLOAD).touch()
        return self._read(job)

    async def add_part(self, import_id: str, part: FilePart, visitor: Visitor | None) -> ApplicationImportRead:
        """Append bytes; with the last of them the archive is read. Raises ApiError 409 and 422."""
        job = self._import(import_id, visitor)
        async with job.lock:
            content = decoded_part(part)
            upload = job.folder / _UPLOAD
            if job.source != "archive" or job.staged is not None:
                raise ApiError(409, "import-state", "This import is not an archive: there is nothing to upload.")
            job.uploaded = await asyncio.to_thread(append_part, upload, part.offset, content, job.uploaded, job.size)
            if job.uploaded == job.size:
                await self._stage(job, {"path": str(upload)})
                upload.unlink(missing_ok=True)
        return self._read(job)

    async def of_files(self, request: FilesCreate, visitor: Visitor | None) -> ApplicationImportRead:
        """Stage files that a browser or a program sends. Raises ApiError 422."""
        paths = [file.path for file in request.files]
        if len(set(paths)) < len(paths):
            raise ApiError(422, "file-given-twice", "A file is given twice.", "Send each file once.")
        texts = {file.path: file.text for file in request.files}
        order = {"title": request.title, "texts": texts, "dialect": request.dialect}
        if needs_translation(texts):
            return await self._staged("files", request.title, order, visitor)
        job = self._new("files", request.title, visitor)  # nothing is parsed, which needs no process
        async with job.lock:
            await self._stage_here(job, stage_texts, request.title, texts)
        return self._read(job)

    async def of_folder(self, request: FolderCreate, visitor: Visitor | None) -> ApplicationImportRead:
        """Stage a folder of the server. Raises ApiError 403 where it is not allowed, 422 where it holds nothing."""
        folder = await asyncio.to_thread(self._allowed_sources.folder, request.path)
        return await self._staged("folder", request.path, {"path": str(folder)}, visitor)

    async def of_repository(self, request: RepositoryCreate, visitor: Visitor | None) -> ApplicationImportRead:
        """Stage a git repository. Raises ApiError 403 where it is not allowed, 422 where it cannot be read."""
        address = await asyncio.to_thread(self._allowed_sources.repository, request.address)
        wish = request.model_dump(include={"branch", "folder", "is_shallow"})
        return await self._staged("repository", request.address, {"address": address, **wish}, visitor)

    async def of_keyspace(self, request: KeyspaceCreate, visitor: Visitor | None) -> ApplicationImportRead:
        """Read the tables of a keyspace. Raises ApiError 403 where its store is not allowed, 503 without an answer."""
        location = self._allowed_stores.refuse_other(url_of(request.store))
        if not location.servers:
            message = "A keyspace is named by cql://HOST/KEYSPACE."
            raise ApiError(422, "invalid-store", message, "Correct the address of the store.")
        job = self._new("keyspace", request.store.url[:200], visitor)
        async with job.lock, self._turns:
            await self._stage_here(job, stage_keyspace, request.store, request.prefix)
        return self._read(job)

    async def _stage_here(self, job: _Import, stage_it: Callable[..., None], *arguments: Any) -> None:
        """Stage by a function of this process, which takes the folder last; an import that is refused is forgotten."""
        staged = job.folder / _STAGED
        try:
            await asyncio.to_thread(stage_it, *arguments, staged)
            job.staged = await asyncio.to_thread(read_staged, staged)
        except StagingRefused as refused:
            self._remove(job)
            raise refusal_of(str(refused), refused.help) from refused
        except BaseException:
            self._remove(job)
            raise

    def read(self, import_id: str, visitor: Visitor | None) -> ApplicationImportRead:
        return self._read(self._import(import_id, visitor))

    async def make(
        self, import_id: str, request: ImportedApplicationCreate, visitor: Visitor | None
    ) -> ApplicationSummaryRead:
        """Make the application of an import, which is gone then. Raises ApiError 404, 409."""
        job = self._import(import_id, visitor)
        async with job.lock:
            if job.staged is None or self._imports.get(import_id) is not job:
                raise ApiError(409, "import-state", "The import is not ready.", "Upload the rest of the archive.")
            staged = job.folder / _STAGED
            history = staged / HISTORY
            application = await asyncio.to_thread(
                self._lifecycle.import_application,
                request.title,
                request.id,
                staged_texts(staged),
                history if job.staged.saves else None,
                job.staged.environments,
                job.staged.parameter_sets,
            )
            if job.source == "keyspace":
                await self._confirm(application.id, job.staged.environments)
            self._remove(job)
        return application

    async def _confirm(self, application: str, environments: Sequence[ArchivedEnvironment]) -> None:
        """Take over the store of a keyspace, which the user has named; one that is taken stays unconfirmed."""
        for environment in environments:
            if environment.store is not None:
                with contextlib.suppress(ApiError):
                    update = EnvironmentUpdate(store=environment.store)
                    await self._environment_changes.change(application, environment.id, update)

    async def discard(self, import_id: str, visitor: Visitor | None) -> None:
        """Forget an import."""
        job = self._import(import_id, visitor)
        async with job.lock:
            self._remove(job)

    async def _staged(
        self, source: Source, name: str, order: Mapping[str, Any], visitor: Visitor | None
    ) -> ApplicationImportRead:
        job = self._new(source, name[:200], visitor)
        async with job.lock:
            await self._stage(job, order)
        return self._read(job)

    async def _stage(self, job: _Import, order: Mapping[str, Any]) -> None:
        """Let a process stage it; an import that is refused is forgotten."""
        staged = job.folder / _STAGED
        try:
            async with self._turns:
                await stage({"source": job.source, **order}, staged)
            job.staged = await asyncio.to_thread(read_staged, staged)
        except BaseException:
            self._remove(job)
            raise

    def _new(self, source: Source, name: str, visitor: Visitor | None) -> _Import:
        idle = [job for job in self._imports.values() if not job.lock.locked()]
        for job in idle[: max(0, len(self._imports) + 1 - MOST_KEPT)]:
            self._remove(job)
        self._number += 1
        job = _Import(f"i{self._number}", source, name, self._folder / f"i{self._number}", _owner(visitor))
        job.folder.mkdir(parents=True)
        self._imports[job.id] = job
        return job

    def _remove(self, job: _Import) -> None:
        self._imports.pop(job.id, None)
        shutil.rmtree(job.folder, ignore_errors=True)

    def _import(self, import_id: str, visitor: Visitor | None) -> _Import:
        job = self._imports.get(import_id)
        if job is None or job.owner != _owner(visitor):
            raise NotFound("unknown-import", f"There is no import {import_id[:60]}.", "Begin it again.")
        return job

    def _read(self, job: _Import) -> ApplicationImportRead:
        staged = job.staged or Staged(title=job.name)
        texts = staged_texts(job.folder / _STAGED) if job.staged is not None else {}
        return ApplicationImportRead(
            id=job.id,
            source=job.source,
            name=job.name,
            state="uploading" if job.staged is None else "ready",
            size=job.size,
            uploaded=job.uploaded,
            title=staged.title,
            files=[ImportedFileRead(path=path, characters=len(text)) for path, text in texts.items()],
            saves=staged.saves,
            environments=[_environment(environment) for environment in staged.environments],
            notes=[ImportNoteRead(what=note.what, why=note.why, outcome=note.outcome) for note in staged.notes],
        )


def _owner(visitor: Visitor | None) -> int | None:
    return None if visitor is None else visitor.account_id


def _environment(environment: ArchivedEnvironment) -> ImportedEnvironmentRead:
    return ImportedEnvironmentRead(
        id=environment.id,
        title=environment.title,
        colour=environment.colour,
        store=_store(environment.store),
        slos=len(environment.slos),
    )


def _store(store: StoreWrite | None) -> StoreChoiceRead:
    if store is None:
        return StoreChoiceRead(kind=EMBEDDED, url=EMBEDDED, is_served=False)
    return StoreChoiceRead(
        kind=CQL if scheme_of(store.url) == CQL else EMBEDDED,
        url=store.url,
        is_served=False,
        is_confirmed=False,
        consistency=store.consistency,
        user=None if store.user is None else ReferenceRead.model_validate(store.user),
        password=None if store.password is None else ReferenceRead.model_validate(store.password),
        tls=None if store.tls is None else TlsRead.model_validate(store.tls),
    )
