"""`piql app export` and `piql app import`: an application as one file, and applications that come from elsewhere."""

from __future__ import annotations

import argparse
import base64
import contextlib
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, Protocol
from urllib.parse import quote

from piql.store.schemes import CQL, scheme_of

from piql_backend.application_imports.texts import PIQL_ENDING, SQL_ENDINGS
from piql_backend.archives.layout import MOST_ARCHIVE_BYTES
from piql_backend.commands.environments import add_store_references, store_references

_PART_BYTES = 2_000_000


class Asked(Protocol):
    """A running workbench."""

    def ask_of(self, path: str, method: str, body: object = None) -> Any:
        """The JSON of an answer, None for an empty one."""
        ...

    def save(self, path: str, file: IO[bytes]) -> None:
        """Write an answer below `/api/applications` into a file."""
        ...


def add_import_commands(command: Callable[[str, Any, str], argparse.ArgumentParser]) -> None:
    """Add `export` and `import` by a function that adds a command."""
    export = command("export", _export, "write an application into one file, without rows and secrets")
    export.add_argument("id")
    export.add_argument("file", type=Path, nargs="?", help="a new file; default: the id with .zip")
    import_ = command("import", _import, "make an application of an archive, a folder, a git repository or a keyspace")
    import_.add_argument(
        "source", help="an archive, a folder, a file of SQL; a git repository, https:// or file://; cql://HOST/KEYSPACE"
    )
    import_.add_argument("--title", help="the name that is shown; default: that of the source")
    import_.add_argument("--id", help="the name of its folder; default: made of the title")
    import_.add_argument("--on-server", action="store_true", help="the folder is one of the server, by its whole path")
    import_.add_argument("--branch", default="", help="the branch of a repository; default: its default branch")
    import_.add_argument("--folder", default="", help="the folder of a repository; default: all of it")
    import_.add_argument("--shallow", action="store_true", help="take only the newest commit of a repository")
    import_.add_argument("--prefix", default="piql_", help="begins the names of tables written beside a keyspace's")
    add_store_references(import_)
    import_.add_argument("--dry-run", action="store_true", help="only say what would be imported")


def _export(workbench: Asked, options: argparse.Namespace) -> Iterator[str]:
    file: Path = options.file or Path(f"{options.id}.zip")
    if file.exists():
        raise ValueError(f"{file} exists already and is not overwritten: choose another name")
    with tempfile.NamedTemporaryFile("wb", dir=file.parent, prefix=".", suffix=".part", delete=False) as part:
        try:
            workbench.save(f"/{quote(options.id, safe='')}/archive", part)
            part.close()
            file.hardlink_to(part.name)  # which replaces nothing
        finally:
            Path(part.name).unlink()
    yield f"{file}: {options.id} is written, {file.stat().st_size:,} bytes."


def _import(workbench: Asked, options: argparse.Namespace) -> Iterator[str]:
    staged = _staged(workbench, options)
    path = f"application-imports/{quote(staged['id'], safe='')}"
    try:
        yield from _preview(staged)
        if options.dry_run:
            yield "Nothing was made."
            return
        body = {"title": options.title or staged["title"], "id": options.id}
        application_id = workbench.ask_of(f"{path}/applications", "POST", body)["id"]
    except BaseException:
        with contextlib.suppress(OSError):
            workbench.ask_of(path, "DELETE")
        raise
    yield f"{application_id} is made."


def _staged(workbench: Asked, options: argparse.Namespace) -> Any:
    """The import that the workbench has staged of a source."""
    source: str = options.source
    if scheme_of(source) == CQL:
        return workbench.ask_of("application-imports/keyspaces", "POST", _keyspace(options))
    if "://" in source:
        body = {"address": source, "branch": options.branch, "folder": options.folder, "is_shallow": options.shallow}
        return workbench.ask_of("application-imports/repositories", "POST", body)
    if options.on_server:
        return workbench.ask_of("application-imports/folders", "POST", {"path": source})
    path = Path(source)
    if path.is_dir():
        title = options.title or path.resolve().name[:100] or "Application"
        return workbench.ask_of("application-imports/files", "POST", {"title": title, "files": list(_files(path))})
    if path.suffix.lower() in (*SQL_ENDINGS, PIQL_ENDING):
        files = [{"path": path.name, "text": path.read_text(encoding="utf-8")}]
        return workbench.ask_of(
            "application-imports/files", "POST", {"title": options.title or path.stem, "files": files}
        )
    return _uploaded(workbench, path)


def _keyspace(options: argparse.Namespace) -> dict[str, Any]:
    return {"store": {"url": options.source, **store_references(options)}, "prefix": options.prefix}


def _files(folder: Path) -> Iterator[dict[str, str]]:
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        is_visible = not any(part.startswith(".") for part in name.parts)
        if is_visible and path.is_file() and path.name.lower().endswith((PIQL_ENDING, *SQL_ENDINGS)):
            yield {"path": name.as_posix(), "text": path.read_text(encoding="utf-8")}


def _uploaded(workbench: Asked, path: Path) -> Any:
    size = path.stat().st_size
    if not 0 < size <= MOST_ARCHIVE_BYTES:
        raise ValueError(f"{path} has {size:,} bytes, and an archive has 1 to {MOST_ARCHIVE_BYTES:,}")
    staged = workbench.ask_of("application-imports/archives", "POST", {"file_name": path.name[:200], "size": size})
    parts = f"application-imports/{quote(staged['id'], safe='')}/parts"
    with path.open("rb") as file:
        while part := file.read(_PART_BYTES):
            body = {"offset": staged["uploaded"], "base64": base64.b64encode(part).decode()}
            staged = workbench.ask_of(parts, "POST", body)
    return staged


def _preview(staged: Any) -> Iterator[str]:
    characters = sum(file["characters"] for file in staged["files"])
    yield f"{staged['title']}: {len(staged['files'])} files, {characters:,} characters, {staged['saves']:,} saves"
    for environment in staged["environments"]:
        store = environment["store"]
        what = (
            "with a file of its own" if store["is_confirmed"] else f"not connected to {store['url']} until you save it"
        )
        yield f"  environment {environment['id']}: {what}, {environment['slos']} SLOs"
    for note in staged["notes"]:
        yield f"  {note['what']}: {note['why']}"
