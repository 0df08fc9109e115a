"""Which columns a read selects, and how the rows that it returns are made of them.

Besides the columns asked for, a read selects the flags of those that may hold a stand-in for NULL, and of records the
state, by which hidden ones are left out.
"""

from __future__ import annotations

import sys

from piql.schema.catalog import Kind
from piql.store.base import ReadShape
from piql.store.cql.layout import Layout
from piql.store.cql.reads.shown import Shown
from piql.store.rows import STATE, WRITE, State

# Sources and texts for numbers that other programs may have stored, and that no DOUBLE of PIQL is.
_LARGEST = sys.float_info.max
_FINITE = f"{{0}} + 0.0 if {{0}} is not None and {-_LARGEST!r} <= {{0}} <= {_LARGEST!r} else None"
_NO_KEYS = ("nan", "inf", "-inf", "-0.0")


class Selection:
    """The selection of one shape.

    names    the columns to select
    shown    the source of the rows that the read returns, over selected rows

    With `leaves_nulls` the range leaves out rows with NULL in the first column behind the prefix.
    """

    def __init__(self, shape: ReadShape, layout: Layout, *, leaves_nulls: bool) -> None:
        self.shape, self.layout, self.leaves_nulls = shape, layout, leaves_nulls
        self.names = self._selected_names()
        self.shown = self._shown_source()

    def _flags(self) -> dict[str, str]:
        """Return the flags of the selected columns that may hold a stand-in for NULL."""
        certain = 1 if self.leaves_nulls else 0
        fixed = {column.name for column in self.layout.key[: self.shape.prefix_length + certain]} - set(
            self.shape.nulls
        )
        return {
            column.name: column.flag for column in self.layout.clustering if column.flag and column.name not in fixed
        }

    def _selected_names(self) -> list[str]:
        """Return the columns to select: those asked for, then those that `shown` needs."""
        flags = self._flags()
        names = [*self.shape.columns, *(flags[name] for name in self.shape.columns if name in flags)]
        names += self._doubles_of_key()
        if self.layout.is_primary and STATE not in names:
            names.append(STATE)
        if not names:
            names = self.layout.partition_names()[:1]
        return list(dict.fromkeys(names))  # each name once: a driver may return rows as dicts

    def _doubles_of_key(self) -> list[str]:
        """Return the DOUBLE columns of a record's key, in which other programs may have put infinity or NaN."""
        if not self.layout.is_primary:
            return []
        return [column.name for column in self.layout.key[self.shape.prefix_length :] if column.kind is Kind.DOUBLE]

    def _shown_source(self) -> Shown:
        """Return the source of rows from selected ones: NULL for stand-ins, texts without escapes, no hidden rows.

        Other programs may have stored infinity, NaN or -0.0, which PIQL's DOUBLE does not have. In a column they are
        shown as NULL or 0.0; a row with one of them in its key is left out.
        """
        columns, flags = self.shape.columns, self._flags()
        doubles = {name for name, kind in self.layout.covering if kind is Kind.DOUBLE}
        escaped = {column.name: column.kind for column in self.layout.partition if column.is_escaped}
        position_of = {name: at for at, name in enumerate(self._selected_names())}
        sources = []
        is_changed = not columns or self.layout.is_primary
        for at, name in enumerate(columns):
            source = value = f"r[{position_of[name]}]"
            if name in flags:
                source = f"{value} if r[{position_of[flags[name]]}] else None"
            elif name in escaped:
                escape_byte = "b'\\x01'" if escaped[name] is Kind.BLOB else "'\\x01'"
                source = f"{value} if {value} >= {escape_byte} else {value}[1:]"  # what is less begins with U+0000
            elif name in doubles:
                source = _FINITE.format(value)
            elif name == STATE:
                source = f"{value} or 0"
            elif name == WRITE:
                source = f"({value} or '').partition(' ')[0]"
            is_changed = is_changed or source != f"r[{at}]"
            sources.append(source)
        row = f"({', '.join(sources)}{',' if len(sources) == 1 else ''})"
        first = State.GONE if self.shape.sees_coming else State.COMING
        state = f"r[{position_of[STATE]}]" if self.layout.is_primary else ""
        conditions = [f"(not {state} or {state} < {first.value})"] if state else []
        conditions += [f"str(r[{position_of[name]}]) not in {_NO_KEYS}" for name in self._doubles_of_key()]
        return Shown(row, " and ".join(conditions), len(columns), is_changed)
