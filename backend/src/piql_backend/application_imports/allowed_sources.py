"""Which folders and repositories an application may be made of: an allow-list, given when the workbench is started.

/srv/apps                   folders below it, and git repositories in them (file:///srv/apps/shop)
https://git.example         any repository of this host
https://git.example/acme    those below this path
http://127.0.0.1:3000       only where it is written so: nothing is encrypted

A request that may name any address makes the workbench ask every server that it can reach, and read any folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from piql.text.web_addresses import web_address_of

from piql_backend.web.errors import ApiError

_SCHEMES = {"https": 443, "http": 80}


class _Root(NamedTuple):
    """An address of a repository, or one that all repositories below it may be read from."""

    scheme: str
    host: str
    port: int
    path: str


class AllowedSources:
    """Says of a folder, or of a repository's address, whether it may be read."""

    def __init__(self, entries: Iterable[str]) -> None:
        """Take the entries of the list. Raises ValueError for one that is neither a folder nor an address."""
        self._entries = tuple(entries)
        self._folders: list[Path] = []
        self._roots: list[_Root] = []
        for entry in self._entries:
            if entry.startswith("/"):
                self._folders.append(Path(entry).resolve())
                continue
            root = _root_of(entry)
            if root is None:
                raise ValueError(f"--allowed-source {entry}: write the whole path of a folder, or https://HOST")
            self._roots.append(root)

    def folder(self, path: str) -> Path:
        """The folder of a path; ApiError 403 for one that is not on the list, 422 for one that is not there."""
        if "\x00" in path:
            raise ApiError(422, "no-folder", "There is no folder of that name.")
        folder = _resolved(path) if path.startswith("/") else None
        if folder is None or not any(folder.is_relative_to(allowed) for allowed in self._folders):
            message = f"This workbench may not read {path[:200]}."
            advice = f"Start it with --allowed-source and the whole path of a folder{self._choices()}."
            raise ApiError(403, "source-not-allowed", message, advice)
        if not os.path.isdir(folder):  # also False where the name is too long for any folder
            raise ApiError(422, "no-folder", f"There is no folder {path[:200]} on the server.", "Correct its path.")
        return folder

    def repository(self, address: str) -> str:
        """The address, or the folder, of a repository; ApiError 403 for one not on the list, 422 for no address."""
        parts = web_address_of(address) if _is_plain(address) else None
        if parts is not None and parts.scheme == "file" and not parts.authority:
            return str(self.folder(unquote(parts.path)))
        if parts is not None and parts.has_login:
            message = "The address of a repository may hold neither user nor password."
            raise ApiError(422, "credentials-in-url", message, "Name a repository that can be read without.")
        wanted = _root_of(address) if _is_plain(address) else None
        if wanted is None:
            message = "The address of a repository is https://HOST/PATH, or file:///PATH on the server."
            raise ApiError(422, "invalid-address", message, "Correct the address.")
        if not any(_is_below(wanted, allowed) for allowed in self._roots):
            message = f"This workbench may not fetch from {wanted.host}."
            advice = f"Start it with --allowed-source {wanted.scheme}://{wanted.host}{self._choices()}."
            raise ApiError(403, "source-not-allowed", message, advice)
        return address

    def _choices(self) -> str:
        return f", or name one below {', '.join(self._entries)}" if self._entries else ""


def _resolved(path: str) -> Path | None:
    """The folder that a path leads to; None where the text is no path."""
    try:
        return Path(path).resolve()
    except (ValueError, OSError, RuntimeError):  # half a character, or links that lead to each other
        return None


def _is_plain(address: str) -> bool:
    return address.isascii() and all(" " < character < "\x7f" and character != "\\" for character in address)


def _root_of(address: str) -> _Root | None:
    parts = web_address_of(address)
    if parts is None or parts.scheme not in _SCHEMES or not parts.host or parts.has_login:
        return None
    if parts.query or parts.fragment:
        return None
    if any(part in (".", "..") for part in unquote(parts.path).split("/")):
        return None
    return _Root(parts.scheme, parts.host, parts.port or _SCHEMES[parts.scheme], parts.path.rstrip("/"))


def _is_below(wanted: _Root, allowed: _Root) -> bool:
    is_there = (wanted.scheme, wanted.host, wanted.port) == (allowed.scheme, allowed.host, allowed.port)
    return is_there and (wanted.path == allowed.path or wanted.path.startswith(f"{allowed.path}/"))
