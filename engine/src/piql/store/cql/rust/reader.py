"""Functions that answer a request, or a batch as one statement, over the Rust driver: values, request, rows.

What follows an answer runs with cold caches, where each function called costs more than what it does.
"""

from __future__ import annotations

from typing import Any

from piql.store.base import Reader
from piql.store.cql.reads.listing import Lister
from piql.store.cql.rust.values import ROW_NAMES, RowSource

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
    code_names = names | ROW_NAMES
    exec(_READER.format(given=given, values=rows.values, add=add, end=end), code_names)
    found: Reader = code_names["read"]
    return found


_LISTER = """
def read(a, keys):
    bound = {given}
    bound[{place}] = {listed}
    found = {{key: [] for key in keys}}
    try:
        slot = _take()
        try:
            result = _connection.session.execute(_prepared, bound, paged=False).result(_seconds)
        finally:
            _put(slot)
        page = list(result.iter_current_page())
    except Exception:
        page = _again(a, keys)
    hidden = 0
    for row in page:
        {values} = row.values()
        {add}
    {end}
"""
_CAME = "return (_came(keys, [page]), False, 1) if hidden else (found, True, 1)"
_FOUND = "return found, True, 1"


def compiled_lister(
    given: str, place: int, rows: RowSource, key: str, names: dict[str, Any], *, is_limited: bool
) -> Lister:
    """Generate what answers a batch whose keys are bound at a place, and stand in each row as the source `key` says."""
    add = f"found[{key}].append({rows.row})"
    if rows.shown:
        add = f"if {rows.shown}:\n            {add}\n        else:\n            hidden += 1"
    listed = "[_as_python(key) for key in keys]" if names["_as_python"] else "list(keys)"
    end = _CAME if rows.shown and is_limited else _FOUND
    code_names = names | ROW_NAMES
    exec(_LISTER.format(given=given, place=place, listed=listed, values=rows.values, add=add, end=end), code_names)
    found: Lister = code_names["read"]
    return found
