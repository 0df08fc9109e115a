"""`python -m piql_backend.application_imports.process`: stages one application, within limits of its own.

    stdin    {"source": "archive", "path": "/data/…/upload.zip", "into": "/data/…/staged"}     what to stage
    stdout   {"refused": "the archive is damaged: …", "help": "…"}                            nothing where it is staged

What is staged may be made to take up memory, processor time or disk. So no other process reads it first.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import sys
from pathlib import Path
from typing import Any

_PR_SET_PDEATHSIG = 1  # of linux/prctl.h
_MEGABYTES = 1_200  # of address space, with the program itself
_CPU_SECONDS = 60
_FILE_BYTES = 1024 * 1024 * 1024


def main() -> None:
    """Stage what stdin says, and say why not where it is refused."""
    _limit()
    order = json.load(sys.stdin)
    from piql_backend.application_imports.staged import StagingRefused

    try:
        _stage(order)
    except StagingRefused as refused:
        print(json.dumps({"refused": str(refused), "help": refused.help}))
    except MemoryError:
        print(json.dumps({"refused": "it takes too much memory to read", "help": ""}))
    except OSError as error:
        print(json.dumps({"refused": f"it cannot be read or written: {error.strerror or error}", "help": ""}))


def _stage(order: dict[str, Any]) -> None:
    into = Path(order["into"])
    match order["source"]:
        case "archive":
            from piql_backend.application_imports.archives import stage_archive

            stage_archive(Path(order["path"]), into)
        case "files":
            from piql_backend.application_imports.texts import stage_texts

            stage_texts(order["title"], order["texts"], into, order["dialect"])
        case "folder":
            from piql_backend.application_imports.folders import stage_folder

            stage_folder(Path(order["path"]), into)
        case "repository":
            from piql_backend.application_imports.repositories import Wish, stage_repository

            stage_repository(order["address"], Wish(order["branch"], order["folder"], order["is_shallow"]), into)
        case source:
            raise ValueError(f"no source {source}")


def _limit() -> None:
    os.nice(5)
    for kind, most in (
        (resource.RLIMIT_AS, _MEGABYTES * 1_000_000),
        (resource.RLIMIT_CPU, _CPU_SECONDS),
        (resource.RLIMIT_FSIZE, _FILE_BYTES),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(kind)[1]
        resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    if sys.platform == "linux":  # it ends with its server
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    main()
