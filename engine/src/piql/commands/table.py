"""Rows as aligned text: numbers to the right, everything else to the left."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from piql.schema.json_values import decimal_text


def format_table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a table with a head and a rule.

    query          class  operations
    -------------  -----  ----------
    thoughtstream  II            101
    """
    heads = [_text(head) for head in heads]
    cells = [[_text(value) for value in row] for row in rows]
    is_number = [bool(rows) and all(isinstance(row[at], int | float) for row in rows) for at in range(len(heads))]
    widths = [max(len(head), *(len(row[at]) for row in cells)) if cells else len(head) for at, head in enumerate(heads)]
    lines = [_line(heads, widths, is_number), "  ".join("-" * width for width in widths)]
    lines += [_line(row, widths, is_number) for row in cells]
    return "\n".join(lines)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: 1 row, 2 rows, 3 indexes."""
    ending = "" if number == 1 else "es" if noun.endswith("x") else "s"
    return f"{number} {noun[:-1] + 'ie' if ending and noun.endswith('y') else noun}{ending}"


def _line(cells: Sequence[str], widths: Sequence[int], is_number: Sequence[bool]) -> str:
    placed = (
        cell.rjust(width) if right else cell.ljust(width)
        for cell, width, right in zip(cells, widths, is_number, strict=True)
    )
    return "  ".join(placed).rstrip()


def _text(value: object) -> str:
    """Return a cell; control characters are spelled out, for a terminal would obey them."""
    if value is None:
        return "NULL"
    text = (decimal_text(value) if isinstance(value, Decimal) else str(value)).replace("\n", "⏎")
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)
