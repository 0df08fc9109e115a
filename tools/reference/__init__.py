"""The reference pages under docs/reference/, made from the tables of the code: `make golden` writes them anew.

Each module makes one page, `codes` one for each diagnostic: its function `pages` returns texts by file name. To add a
page, add its module to PAGES. `grammar` and `mended` hold data for pages, `markdown` writes tables and blocks.
"""

from __future__ import annotations

from collections.abc import Callable

from reference import (
    codes,
    commands,
    functions,
    index,
    operators,
    optimizer_rules,
    public_api,
    settings,
    statements,
    value_types,
)

Pages = dict[str, str]

PAGES: tuple[Callable[[], Pages], ...] = (
    index.pages,
    statements.pages,
    value_types.pages,
    functions.pages,
    codes.pages,
    operators.pages,
    optimizer_rules.pages,
    commands.pages,
    settings.pages,
    public_api.pages,
)
NOTE = "<!-- Made from the code by `make golden`; changes here are lost. -->"


def reference_pages() -> Pages:
    """Return every page as text, by its name under docs/reference/."""
    return {name: f"{NOTE}\n{text.strip()}\n" for make in PAGES for name, text in make().items()}
