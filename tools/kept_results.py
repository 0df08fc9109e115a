"""Pages of results in docs/measurements: tests and measurements that take minutes keep their parts up to date."""

from __future__ import annotations

import fcntl
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from piql.store.open import capabilities_of

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "measurements"


def keep_section(page: str, title: str, text: str, folder: Path = FOLDER) -> None:
    """Put a section (`## title`) in the place of the one of that title, or behind all others."""
    with _locked(folder / page) as path:
        before = path.read_text()
        section = f"## {title}\n\n{text.strip()}\n"
        match = _section(before, title)
        if match is None:
            after = f"{before.rstrip()}\n\n{section}"
        else:
            follows = before[match.end() :]
            after = before[: match.start()] + section + (f"\n{follows}" if follows else "")
        path.write_text(after)


def keep_row(page: str, title: str, cells: list[str], folder: Path = FOLDER) -> None:
    """Put a row into the table of a section: in the place of the one that begins alike, or below all others."""
    with _locked(folder / page) as path:
        before = path.read_text()
        section = _section(before, title)
        assert section is not None, f"{page} has no section {title}"
        lines = section[0].splitlines()
        table = [at for at, line in enumerate(lines) if line.startswith("|")]
        row = f"| {' | '.join(cells)} |"
        same_row = [at for at in table if lines[at].startswith(f"| {cells[0]} |")]
        if same_row:
            lines[same_row[0]] = row
        else:
            lines.insert(table[-1] + 1, row)
        after = "\n".join(lines).rstrip() + "\n"
        follows = before[section.end() :]
        path.write_text(before[: section.start()] + after + (f"\n{follows}" if follows else ""))


@contextmanager
def _locked(path: Path) -> Iterator[Path]:
    """Give a page to one process at a time: tests side by side keep rows of the same one."""
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield path


@contextmanager
def kept_row(url: str, first_cell: str, section: str = "Writers", *, has_seconds: bool = True) -> Iterator[list[str]]:
    """Keep a row of cluster.md where a test runs on a cluster: what it found, and its seconds; or that it failed."""
    cells: list[str] = []
    began = time.monotonic()
    try:
        yield cells
    except BaseException:
        cells[:] = ["–", "**failed**"]
        raise
    finally:
        if capabilities_of(url).is_cluster:
            seconds = [f"{time.monotonic() - began:,.0f}"] if has_seconds else []
            keep_row("cluster.md", section, [first_cell, *cells, *seconds])


def load_average() -> str:
    """Say how busy this machine was in the last minute."""
    return f"{os.getloadavg()[0]:.1f}"


def _section(text: str, title: str) -> re.Match[str] | None:
    return re.search(rf"^## {re.escape(title)}\n.*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
