"""Pages of results in docs/measurements: each long test keeps a section of its own up to date."""

from __future__ import annotations

import re
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "measurements"


def keep_section(page: str, title: str, text: str, folder: Path = FOLDER) -> None:
    """Put a section (`## title`) in the place of the one of that title, or behind all others."""
    path = folder / page
    before = path.read_text()
    section = f"## {title}\n\n{text.strip()}\n"
    found = re.search(rf"^## {re.escape(title)}\n.*?(?=^## |\Z)", before, re.MULTILINE | re.DOTALL)
    if found is None:
        after = f"{before.rstrip()}\n\n{section}"
    else:
        follows = before[found.end() :]
        after = before[: found.start()] + section + (f"\n{follows}" if follows else "")
    path.write_text(after)
