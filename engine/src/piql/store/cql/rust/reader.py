"""Generates the functions that answer a request, or a batch as one statement, over the Rust driver.

Each is one function from the arguments to the rows, because the code after an answer runs with cold caches, where a
function call costs more than the work inside it. Their names:

_take, _put      take a slot, and put it back: they limit the requests under way
_prepared        the statement
_again           sends the request in the ordinary way, which tries again and says why it failed
_more, _came     what to do if hidden rows took places under the LIMIT
"""

from __future__ import annotations

from typing import Any

from piql.store.base import Reader
from piql.store.cql.reads.listing import Lister
from piql.store.cql.rust.values import ROW_NAMES, RowSource

_READER = """
def read(a):
    bound = {parameters}
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


def compiled_reader(parameters: str, rows: RowSource, names: dict[str, Any], *, is_get: bool) -> Reader:
    """Return the reader of a statement.

    `parameters` is the source of its parameters, over the arguments `a`; `names` are the objects that the source and
    the template refer to. A get has no LIMIT under which hidden rows could take places.
    """
    add = (_ADD_SHOWN if rows.shown else _ADD).format(row=rows.row, shown=rows.shown)
    end = _LIMITED if rows.shown and not is_get else _ALL
    code_names = names | ROW_NAMES
    exec(_READER.format(parameters=parameters, values=rows.values, add=add, end=end), code_names)
    reader: Reader = code_names["read"]
    return reader


_LISTER = """
def read(a, keys):
    bound = {parameters}
    bound[{listed_at}] = {listed}
    rows_by_key = {{key: [] for key in keys}}
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
_LIMITED_KEYS = "return (_came(keys, [page]), False, 1) if hidden else (rows_by_key, True, 1)"
_ALL_KEYS = "return rows_by_key, True, 1"


def compiled_lister(
    parameters: str, listed_at: int, rows: RowSource, key: str, names: dict[str, Any], *, is_limited: bool
) -> Lister:
    """Return the lister of a statement, whose keys are its parameter number `listed_at`.

    `key` is the source of a row's key; the others are those of `compiled_reader`.
    """
    add = f"rows_by_key[{key}].append({rows.row})"
    if rows.shown:
        add = f"if {rows.shown}:\n            {add}\n        else:\n            hidden += 1"
    listed = "[_as_python(key) for key in keys]" if names["_as_python"] else "list(keys)"
    end = _LIMITED_KEYS if rows.shown and is_limited else _ALL_KEYS
    code_names = names | ROW_NAMES
    source = _LISTER.format(
        parameters=parameters, listed_at=listed_at, listed=listed, values=rows.values, add=add, end=end
    )
    exec(source, code_names)
    lister: Lister = code_names["read"]
    return lister
