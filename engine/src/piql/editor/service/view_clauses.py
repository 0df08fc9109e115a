"""What is offered in a CREATE VIEW beside what any SELECT has: its windows of time.

GROUP BY room |                 WINDOW 1 HOUR
… WINDOW 2 |                    WEEKS, DAYS, …
… WINDOW 2 HOURS |              BY
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from piql.compiler.binding.view_windows import FUNCTION
from piql.editor.service.completion_items import CompletionItem, keywords
from piql.schema.calendar import UNIT_OF_WORD, UNITS


def in_view(words: Sequence[str]) -> Iterator[CompletionItem]:
    """Yield what a view has and no other SELECT; nothing outside of a view."""
    if list(words[:2]) != ["CREATE", "VIEW"] or "SELECT" not in words:
        return
    if words[-1] in ("SELECT", "BY", ","):
        yield CompletionItem(FUNCTION, "function", f"{FUNCTION}(time), with WINDOW behind GROUP BY", f"{FUNCTION}(")
    elif "GROUP" in words:
        yield from keywords("WINDOW 1 HOUR", "STRIPES")


def in_window(words: Sequence[str]) -> Iterator[CompletionItem]:
    """Yield what follows the words of a WINDOW clause."""
    if words and words[-1] in UNIT_OF_WORD:
        yield from keywords(*(() if "BY" in words else ("BY",)), "STRIPES")
    elif words and words[-1] != "BY":
        yield from keywords(*(f"{name}S" for name, unit in UNITS.items() if not unit.months))
