"""Sections and rows of the pages of results replace those there were, and leave the rest of a page alone."""

from __future__ import annotations

from pathlib import Path

from kept_results import keep_row, keep_section

PAGE = """# Page

Words.

## Faults

Old.

## Writers

| what | found |
| --- | --- |
| one | old |
| two | kept |

Words behind.

## Last

Kept.
"""


def test_a_section_takes_the_place_of_the_one_of_its_title(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(PAGE)
    keep_section("page.md", "Faults", "New.", tmp_path)
    keep_section("page.md", "More", "Added.", tmp_path)
    assert (tmp_path / "page.md").read_text() == PAGE.replace("Old.", "New.") + "\n## More\n\nAdded.\n"


def test_a_row_takes_the_place_of_the_one_that_begins_alike(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(PAGE)
    keep_row("page.md", "Writers", ["one", "new"], tmp_path)
    keep_row("page.md", "Writers", ["three", "added"], tmp_path)
    changed = PAGE.replace("| one | old |", "| one | new |").replace("| kept |\n", "| kept |\n| three | added |\n")
    assert (tmp_path / "page.md").read_text() == changed
