"""Guesses which columns hold few values: advice never offers a CARDINALITY LIMIT on such columns alone.

    statuses (visibility)    CARDINALITY LIMIT 100 (visibility) would allow 100 public statuses in the whole application
    statuses (author)        CARDINALITY LIMIT 100 (author) allows each author 100

Three things show such a column: its type, its name, and a query that compares it with a constant. The last one does not
count for a column of a key or a reference, and its name does not for a reference in a key of several columns. The guess
only words messages and fixes; no bound relies on it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from piql.schema.catalog import Column, Kind, Table
from piql.schema.types import IDS

# The last word of such a name, once the words of `_BEHIND` are cut off: status_code, account_type_id.
FEW = frozenset(
    "status state type kind sort visibility gender sex flag flags level role priority severity mode tier stage phase "
    "category rating stars grade language lang locale country currency region weekday month season color "
    "colour privacy scope format version active enabled disabled deleted approved published archived hidden locked "
    "public private verified read seen done open closed available".split()
)
# Its first word: is_open, has_paid.
_BEFORE = frozenset(("is", "has", "can", "was", "should", "allow", "allows"))
_BEHIND = frozenset(("id", "code", "name", "value", "key"))
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_SHORT = 2  # characters: a code, of which there are some dozens


def holds_few_values(table: Table, name: str, *, is_constant: bool = False) -> bool:
    """Whether a column seems to hold few values; `is_constant`: a query compares it with constants."""
    column = table.column(name)
    if column is None:
        return False
    if column.type.kind is Kind.BOOLEAN or _is_short(column):
        return True
    if _pairs_things(table, name):
        return False
    words = [word.lower() for word in _WORDS.findall(name)]
    while len(words) > 1 and words[-1] in _BEHIND:
        words.pop()
    if words and (words[-1] in FEW or (len(words) > 1 and words[0] in _BEFORE)):
        return True
    return is_constant and not _names_an_owner(table, column)


def columns_for_limit(table: Table, columns: Iterable[str], constants: Collection[str]) -> tuple[str, ...]:
    """Return the columns a limit could be declared on, those of the primary key first.

    Columns of few values are left out. `columns` are fixed by equalities, those in `constants` by what stands in the
    text.
    """
    named = {name for name in columns if not holds_few_values(table, name, is_constant=name in constants)}
    key = tuple(name for name in table.primary_key if name in named)
    return (*key, *table.in_order(named.difference(key)))


def _pairs_things(table: Table, name: str) -> bool:
    """Whether a column refers to what a table pairs with others: status_id of UNIQUE (account_id, status_id)."""
    keys = (table.primary_key, *(key.columns for key in table.unique_keys))
    is_reference = any(name in key.columns for key in table.foreign_keys)
    return is_reference and any(name in key and len(key) > 1 for key in keys)


def _is_short(column: Column) -> bool:
    """Whether a column holds short codes, as of a country."""
    return column.type.kind is Kind.VARCHAR and column.type.length is not None and column.type.length <= _SHORT


def _names_an_owner(table: Table, column: Column) -> bool:
    """Whether a column is a part of a key or of a reference, or of the type of one."""
    references = (key.columns for key in table.foreign_keys)
    keys = (table.primary_key, *(key.columns for key in table.unique_keys), *references)
    return column.type.kind in IDS or any(column.name in key for key in keys)
