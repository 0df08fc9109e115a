"""Which paths cannot both be files of one application, on whatever disk it comes to lie."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from pathlib import PurePosixPath


def folded(path: str) -> str:
    """A path as file systems compare it that tell neither case nor ways to write an accent apart."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKC", path).casefold())


def first_clash(paths: Iterable[str]) -> tuple[str, str] | None:
    """Two paths of which one is the other in capital letters, or a folder that the other is in; None without any."""
    named: dict[str, str] = {}
    for path in paths:
        earlier = named.setdefault(folded(path), path)
        if earlier != path:
            return earlier, path
    for name, path in named.items():
        for folder in PurePosixPath(name).parents:
            if (file := named.get(str(folder))) is not None:
                return file, path
    return None
