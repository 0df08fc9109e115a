"""One function that answers single requests over the Rust driver: values, request, rows.

What follows an answer runs with cold caches, where each function called costs more than what it does.
"""

from __future__ import annotations

from typing import Any

from piql.store.base import Reader
from piql.store.cql.rust_values import ROW_NAMES, RowSource

_READER = """
def read(a):
    bound = {given}
    if bound is None:
        return [], 0
    try:
        slot = _take()
        try:
            result = _connection.session.execute(_prepared, bound, paged=False).result(_seconds)
        finally:
            _put(slot)
        rows = []
        hidden = 0
        for row in result.iter_current_page():
            {values} = row.values()
            {add}
    except Exception:
        return _again(a)
    {end}
"""
_ADD = "rows.append({row})"
_ADD_SHOWN = """if {shown}:
                rows.append({row})
            else:
                hidden += 1"""
_ALL = "return rows, 1"
_LIMITED = "return _more(a) if hidden and len(rows) + hidden >= a[-1] else (rows, 1)"


def compiled_reader(given: str, rows: RowSource, names: dict[str, Any], *, is_get: bool) -> Reader:
    """Generate it out of the sources of the values and of a row; of a get, hidden rows take nobody's place."""
    add = (_ADD_SHOWN if rows.shown else _ADD).format(row=rows.row, shown=rows.shown)
    end = _LIMITED if rows.shown and not is_get else _ALL
    made = names | ROW_NAMES
    exec(_READER.format(given=given, values=rows.values, add=add, end=end), made)
    found: Reader = made["read"]
    return found
