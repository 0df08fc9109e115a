"""Files that come in parts."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from piql_backend.web.uploads import append_part


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """Let no file of this process become longer, as on a disk that is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_part_that_was_written_in_half_is_in_the_file_once_when_it_is_sent_again(tmp_path: Path) -> None:
    file, first, second = tmp_path / "rows.csv", b"id\n", b"1\n" * 40_000
    file.write_bytes(b"")
    size = len(first) + len(second)
    uploaded = append_part(file, 0, first, 0, size)
    with room_for(50_000), pytest.raises(OSError, match="too large"):
        append_part(file, uploaded, second, uploaded, size)
    assert file.stat().st_size > uploaded  # a part of it was written
    assert append_part(file, uploaded, second, uploaded, size) == size
    assert file.read_bytes() == first + second
