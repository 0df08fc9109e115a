"""Reads an archive into a staged application. Nothing of it is trusted: each entry is looked at before it is read."""

from __future__ import annotations

import contextlib
import io
import shutil
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path

from dulwich.repo import Repo
from piql.store.open import without_login
from pydantic import BaseModel, ValidationError

from piql_backend.application_imports.staged import HISTORY as STAGED_HISTORY
from piql_backend.application_imports.staged import ImportNote, Staged, StagingRefused, write_staged
from piql_backend.application_imports.texts import refuse_long
from piql_backend.applications.file_names import folded
from piql_backend.archives.layout import (
    FILES,
    FORMAT,
    HISTORY,
    MANIFEST,
    MOST_ARCHIVE_BYTES,
    MOST_FILE_BYTES,
    MOST_MANIFEST_BYTES,
    MOST_SAVES,
    MOST_TEXT_BYTES,
    VERSION,
    Manifest,
)
from piql_backend.file_history.bundles import read_bundle
from piql_backend.file_history.rebuilding import Limits, rebuild
from piql_backend.parameter_sets.sets_file import NO_SETS
from piql_backend.web.schemas import MOST_FILES, is_file_path

_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 0x1
_MOST_ENTRIES = MOST_FILES + 50  # with folders, which some programs write
_MOST_READ = 4_000_000  # at once: the list of entries is read whole
_CHUNK = 1_000_000
_MOST_HISTORY_BYTES = 4 * MOST_ARCHIVE_BYTES
HISTORY_LIMITS = Limits(MOST_SAVES, MOST_FILES, MOST_FILE_BYTES)
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OverflowError)


class _Head(BaseModel):
    """The two members that every version has."""

    format: str
    version: int


class _CarefulFile(io.FileIO):
    """A file of which nobody reads much at once, whatever a length in it says."""

    def read(self, size: int | None = -1) -> bytes:
        wished = _MOST_READ + 1 if size is None or size < 0 else size
        content = super().read(min(wished, _MOST_READ + 1))
        if wished > _MOST_READ and len(content) > _MOST_READ:
            raise StagingRefused("the archive is damaged: its list of entries is too long")
        return content


def stage_archive(archive: Path, into: Path) -> None:
    """Write what an archive holds as a staged application. Raises StagingRefused; the folder is not whole then."""
    try:
        with _CarefulFile(archive) as file, zipfile.ZipFile(file) as opened:
            _stage(opened, into)
    except _DAMAGE as damage:
        raise StagingRefused(
            f"the archive is damaged or not a zip file: {damage}", "Export the application again."
        ) from damage


def _stage(archive: zipfile.ZipFile, into: Path) -> None:
    entries = {entry.filename: entry for entry in _checked(archive.infolist())}
    manifest = _manifest(archive, entries.get(MANIFEST))
    texts = {
        name.removeprefix(FILES): _text(archive, entry) for name, entry in entries.items() if name.startswith(FILES)
    }
    saves = 0
    notes: list[ImportNote] = []
    if HISTORY in entries:
        saves = _stage_history(archive, entries[HISTORY], into)
    if not saves:
        notes.append(ImportNote(what="history", why="the archive has no history: it begins with this import"))
    notes += [
        ImportNote(
            what=f"store of {environment.id}",
            why="it belongs to another workbench: a new store is used",
        )
        for environment in manifest.environments
        if environment.kind == "served"
    ]
    staged = Staged(
        title=manifest.title,
        saves=saves,
        environments=tuple(manifest.environments),
        notes=tuple(notes),
        parameter_sets=manifest.parameter_sets or NO_SETS,
    )
    write_staged(into, staged, texts)


def _checked(entries: Sequence[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    """The entries that are files. Raises StagingRefused for one that no archive of ours has."""
    if len(entries) > _MOST_ENTRIES:
        raise StagingRefused(f"the archive has {len(entries):,} entries, and at most {_MOST_ENTRIES} are read")
    names: dict[str, str] = {}
    files = []
    for entry in entries:
        name = entry.filename
        shown = ascii(entry.orig_filename)[:120]
        if name != entry.orig_filename or not _is_plain_name(name.removesuffix("/")):
            raise StagingRefused(f"the archive has an entry {shown}, whose path is invalid or leads out of the archive")
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if kind not in (0, stat.S_IFDIR if entry.is_dir() else stat.S_IFREG):
            raise StagingRefused(f"the archive has an entry {shown}, which is a link or a device")
        plain = folded(name.removesuffix("/"))
        if plain in names:
            raise StagingRefused(f"the archive has two entries {shown} and {ascii(names[plain])[:120]}")
        names[plain] = name
        if entry.is_dir():
            continue
        if entry.flag_bits & _ENCRYPTED or entry.compress_type not in _METHODS:
            raise StagingRefused(f"the archive has an entry {shown}, which is encrypted or packed in an unusual way")
        if name not in (MANIFEST, HISTORY) and not (name.startswith(FILES) and is_file_path(name.removeprefix(FILES))):
            raise StagingRefused(f"the archive has an entry {shown}, which does not belong to an application")
        files.append(entry)
    for name in names:
        if any(folded(file.filename) in _folders_of(name) for file in files):
            raise StagingRefused(
                f"the archive has an entry {ascii(names[name])[:120]} below another one that is a file"
            )
    _refuse_large(files)
    return files


def _refuse_large(files: Sequence[zipfile.ZipInfo]) -> None:
    most = {MANIFEST: MOST_MANIFEST_BYTES, HISTORY: MOST_ARCHIVE_BYTES}
    for file in files:
        limit = most.get(file.filename, MOST_FILE_BYTES)
        if file.file_size > limit:
            raise StagingRefused(f"{ascii(file.filename)[:120]} of the archive is larger than {limit:,} bytes")
    texts = [file for file in files if file.filename.startswith(FILES)]
    if len(texts) > MOST_FILES or sum(file.file_size for file in texts) > MOST_TEXT_BYTES:
        raise StagingRefused(f"the archive has more than {MOST_FILES} files, or more than {MOST_TEXT_BYTES:,} bytes")


def _is_plain_name(name: str) -> bool:
    if "\\" in name or ":" in name or any(unicodedata.category(character).startswith("C") for character in name):
        return False
    return all(part not in ("", ".", "..") for part in name.split("/"))


def _folders_of(name: str) -> list[str]:
    parts = name.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """The bytes of an entry: never more than it says, and those that its checksum says."""
    with archive.open(entry) as file:
        content = file.read(entry.file_size + 1)
    if len(content) != entry.file_size:
        raise StagingRefused(f"{ascii(entry.filename)[:120]} of the archive is not as long as it says")
    return content


def _text(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> str:
    try:
        text = _content(archive, entry).decode()
    except UnicodeDecodeError:
        raise StagingRefused(f"{entry.filename} of the archive is not a UTF-8 text") from None
    refuse_long(f"{ascii(entry.filename)[:120]} of the archive", text)
    return text


def _manifest(archive: zipfile.ZipFile, entry: zipfile.ZipInfo | None) -> Manifest:
    if entry is None:
        advice = "Give a file that was written by an export of an application."
        raise StagingRefused(f"this is not the archive of an application: it has no {MANIFEST}", advice)
    content = _content(archive, entry)
    try:
        head = _Head.model_validate_json(content)
        if head.format != FORMAT:
            raise StagingRefused("this is not the archive of an application: another program wrote it")
        if head.version != VERSION:
            advice = "Update this workbench, or export the application with an older one."
            raise StagingRefused(
                f"the archive has format version {head.version}, and only {VERSION} can be read", advice
            )
        manifest = Manifest.model_validate_json(content)
    except ValidationError as error:
        problem = error.errors()[0]
        where = ".".join(str(part) for part in problem["loc"])
        raise StagingRefused(
            f"{MANIFEST} of the archive cannot be read: {where[:200]}: {problem['msg'][:200]}"
        ) from None
    ids = [environment.id for environment in manifest.environments]
    if len(set(ids)) < len(ids):
        raise StagingRefused(f"{MANIFEST} of the archive names an environment twice")
    for environment in manifest.environments:
        if environment.store is not None and without_login(environment.store.url) != environment.store.url:
            raise StagingRefused(f"the store of {environment.id} in the archive has a login in its address")
    return manifest


def _stage_history(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, into: Path) -> int:
    """Write the saves anew, and return how many they are."""
    into.mkdir(parents=True, exist_ok=True)
    bundle, read, target = into / "bundle", into / "bundle.git", into / STAGED_HISTORY
    with archive.open(entry) as packed, bundle.open("wb") as file:
        for _ in range(0, entry.file_size + 1, _CHUNK):
            file.write(packed.read(_CHUNK))
    try:
        with (
            bundle.open("rb") as file,
            contextlib.closing(Repo.init_bare(str(read), mkdir=True)) as source,
            contextlib.closing(Repo.init_bare(str(target), mkdir=True, default_branch=b"main")) as history,
        ):
            refs = read_bundle(file, source, _MOST_HISTORY_BYTES)
            head = refs.get(b"refs/heads/main")
            return 0 if head is None else rebuild(source, head, refs, history, HISTORY_LIMITS)
    except (StagingRefused, MemoryError):
        raise
    except Exception as damage:  # what dulwich raises for a damaged pack is of a dozen classes
        reason = f"{HISTORY} of the archive is damaged: {str(damage)[:200] or type(damage).__name__}"
        raise StagingRefused(reason, "Export the application again.") from damage
    finally:
        bundle.unlink(missing_ok=True)
        shutil.rmtree(read, ignore_errors=True)
