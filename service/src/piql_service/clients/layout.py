"""How generated lines are laid out: in one line where that fits, else with each item in a line of its own."""

from __future__ import annotations

from collections.abc import Sequence

_MOST = 120


def listed(
    start: str, items: Sequence[str], end: str, *, separator: str = ",", step: int, ends_with_separator: bool = True
) -> str:
    """Return a list between its brackets, which stand at the ends of `start` and `end`.

    A list in lines is indented by `step` more than `start` is. Its last item has a separator, too, unless the language
    takes none there.
    """
    line = f"{start}{f'{separator} '.join(items)}{end}"
    if len(line) <= _MOST or not items:
        return line
    indent = " " * (len(start) - len(start.lstrip()))
    inside = "".join(f"{indent}{' ' * step}{item}{separator}\n" for item in items)
    if not ends_with_separator:
        inside = inside.removesuffix(f"{separator}\n") + "\n"
    return f"{start.rstrip()}\n{inside}{indent}{end.lstrip()}"
