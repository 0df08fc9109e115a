"""A statement of another SQL → the same in plain SQL, by sqlglot: TOP and FETCH FIRST become LIMIT, and so on.

sqlglot comes with the extra `piql[import]`, so it is imported only where a statement needs it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from piql.importing.dialects import Dialect
from piql.importing.writing import quoted

if TYPE_CHECKING:
    from sqlglot import exp

MISSING = "to translate it, install piql[import]"


def translated(statement: str, dialect: Dialect, only_keys: Mapping[str, tuple[str, ...]]) -> str | None:
    """Return a statement in plain SQL, its parameters written `:name` in both; None where sqlglot cannot read it.

    `only_keys` has the primary key of each table without UNIQUE keys, by its name in lower case.

    Raises ModuleNotFoundError where sqlglot is not installed.
    """
    from sqlglot import exp, parse_one
    from sqlglot.errors import SqlglotError

    try:
        tree = parse_one(statement, read=dialect.sqlglot)
        for identifier in tree.find_all(exp.Identifier):
            identifier.set("quoted", quoted(identifier.name) != identifier.name)
        for table in tree.find_all(exp.Table):
            table.set("db", None)
            table.set("catalog", None)
        for ordered in tree.find_all(exp.Ordered):
            ordered.set("nulls_first", not ordered.args.get("desc"))  # PIQL's order, which sqlglot then leaves unsaid
        for fetch in list(tree.find_all(exp.Fetch)):
            fetch.replace(exp.Limit(expression=fetch.args.get("count")))
        if isinstance(tree, exp.Insert):
            _with_on_conflict(tree, only_keys)
        return str(tree.sql(pretty=True))
    except (SqlglotError, RecursionError, ValueError):
        return None


def _with_on_conflict(insert: exp.Insert, only_keys: Mapping[str, tuple[str, ...]]) -> None:
    """Write INSERT IGNORE, INSERT OR IGNORE and ON DUPLICATE KEY UPDATE as ON CONFLICT; INSERT OR REPLACE as INSERT.

    ON DUPLICATE KEY UPDATE means any key. It becomes that of the primary key only where a table has no other.
    """
    from sqlglot import exp

    alternative = insert.args.get("alternative")
    if insert.args.get("ignore") or alternative == "IGNORE":
        insert.set("conflict", exp.OnConflict(action=exp.var("DO NOTHING")))
    insert.set("ignore", None)
    insert.set("alternative", None if alternative in ("IGNORE", "REPLACE") else alternative)
    conflict, table = insert.args.get("conflict"), insert.find(exp.Table)
    if conflict is None or table is None or not conflict.args.get("duplicate"):
        return
    key = only_keys.get(table.name.lower())
    if key is None:
        return
    for call in list(conflict.find_all(exp.Anonymous)):
        if call.name.upper() == "VALUES" and len(call.expressions) == 1:
            call.replace(exp.column(call.expressions[0].name, table="EXCLUDED"))
    conflict.set("duplicate", False)
    conflict.set("action", exp.var("DO UPDATE"))
    conflict.set("conflict_keys", [exp.column(name) for name in key])
