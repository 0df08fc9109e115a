"""Files of text that a command changes: their mark at the beginning stays, and each is written whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile

BYTE_ORDER_MARK = "\ufeff"


def write_whole(contents: Mapping[Path, bytes]) -> None:
    """Write files so that a reader finds each as it was or as it will be, whenever this stops.

    All are written beside the files first, so a disk that is full changes none. A link stays one, and its target
    changes; permissions stay. Raises OSError, and leaves no file of its own behind.
    """
    written: dict[Path, Path] = {}
    try:
        for path, content in contents.items():
            target = path.resolve()
            with NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as file:
                written[Path(file.name)] = target
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            shutil.copymode(target, file.name)
        for temporary, target in written.items():
            temporary.replace(target)
    finally:
        for temporary in written:
            temporary.unlink(missing_ok=True)
