"""Exports an application as an archive: written to disk first, entry by entry, then sent."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from fastapi.responses import Response
from piql.store.open import without_login

from piql_backend import __version__
from piql_backend.applications.file_names import first_clash
from piql_backend.applications.repository import Applications
from piql_backend.archives.layout import (
    FILES,
    HISTORY,
    MANIFEST,
    MOST_ENVIRONMENTS,
    MOST_TEXT_BYTES,
    ArchivedEnvironment,
    Manifest,
)
from piql_backend.environments.imported_slos import waiting_slos
from piql_backend.environments.registry import EnvironmentName, Environments
from piql_backend.environments.settings_file import read_settings
from piql_backend.parameter_sets.repository import ParameterSets
from piql_backend.slos.repository import SloTable
from piql_backend.web.downloads import download
from piql_backend.web.errors import ApiError
from piql_backend.web.schemas import MOST_CHARACTERS, MOST_FILES, SloWrite, without_unseen

_AT_ONCE = 2  # archives that are written at the same time


class Archives:
    """Writes archives of applications into a folder of the workbench's data."""

    def __init__(
        self, folder: Path, applications: Applications, parameter_sets: ParameterSets, environments: Environments
    ) -> None:
        self._folder = folder
        self._applications = applications
        self._parameter_sets = parameter_sets
        self._environments = environments
        self._turns = asyncio.Semaphore(_AT_ONCE)

    def open(self) -> None:
        """Remove the files of a process that was killed."""
        shutil.rmtree(self._folder, ignore_errors=True)

    async def of_application(self, application: str) -> Response:
        """The answer that sends an archive; its file is removed afterwards. No store is asked for anything.

        Raises ApiError 404 for an unknown application, 422 for one that is too large, 503 for a damaged history.
        """
        self._applications.refuse_unknown(application)
        self._folder.mkdir(parents=True, exist_ok=True)
        scratch = tempfile.TemporaryDirectory(dir=self._folder, prefix="archive-")
        path = Path(scratch.name) / "application.zip"
        try:
            async with self._turns:
                environments = [
                    await self._described(EnvironmentName(application, name))
                    for name in self._environments.names(application)
                ]
                await asyncio.to_thread(self._write, application, environments, path)
        except BaseException:
            scratch.cleanup()
            raise
        return download(path, f"{application}.zip", "application/zip", scratch)

    def _write(self, application: str, environments: Sequence[ArchivedEnvironment], path: Path) -> None:
        texts = self._applications.texts(application)
        if len(texts) > MOST_FILES or len(environments) > MOST_ENVIRONMENTS:
            message = f"An archive holds at most {MOST_FILES} files and {MOST_ENVIRONMENTS} environments."
            raise ApiError(422, "too-large-to-export", message, "Divide the application.")
        _refuse_unreadable(texts)
        parameter_sets = self._parameter_sets.kept(application)
        manifest = Manifest(
            id=application,
            title=without_unseen(self._applications.title(application)[:100]),
            made_at=datetime.now(UTC).isoformat(timespec="seconds"),
            made_by=f"PIQL Workbench {__version__}",
            environments=list(environments),
            parameter_sets=parameter_sets if parameter_sets.sets else None,
        )
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(MANIFEST, manifest.model_dump_json(indent=2, exclude_none=True) + "\n")
            for name, text in texts.items():
                archive.writestr(FILES + name, text.encode())
            with archive.open(HISTORY, "w", force_zip64=True) as file:
                self._applications.write_history(application, file)

    async def _described(self, name: EnvironmentName) -> ArchivedEnvironment:
        """An environment by reference, with its SLOs: its store is not even connected to."""
        folder = self._environments.folder(name)
        settings = read_settings(folder)
        store = settings.store.named
        slos = waiting_slos(folder)
        async with self._environments.database_of(name) as database:
            if database is not None:
                saved = await asyncio.to_thread(SloTable(database).list)
                slos |= {slo.query: SloWrite.model_validate(slo, from_attributes=True, extra="ignore") for slo in saved}
        return ArchivedEnvironment(
            id=name.environment,
            title=without_unseen(settings.title or name.environment),
            colour=settings.colour or "grey",
            kind="named" if store is not None else "served" if settings.store.kind == "served" else "embedded",
            store=None if store is None else store.model_copy(update={"url": without_login(store.url)}),
            slo=settings.slo,
            slos=slos,
        )


def _refuse_unreadable(texts: Mapping[str, str]) -> None:
    """Raise ApiError 422 for files that another program has made and that no import would take."""
    for path, text in texts.items():
        if len(text) > MOST_CHARACTERS:
            message = f"{path} has more than {MOST_CHARACTERS:,} characters, which no archive holds."
            raise ApiError(422, "too-large-to-export", message, "Divide the file.")
    if sum(len(text.encode()) for text in texts.values()) > MOST_TEXT_BYTES:
        message = f"The files have more than {MOST_TEXT_BYTES:,} bytes, which no archive holds."
        raise ApiError(422, "too-large-to-export", message, "Divide the application.")
    if (clash := first_clash(texts)) is not None:
        message = f"{clash[0]} and {clash[1]} differ in capital letters only, or one is a folder of the other."
        raise ApiError(422, "not-exported", message, "Rename one of them.")
