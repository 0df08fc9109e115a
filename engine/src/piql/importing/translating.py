"""A statement of another SQL → the same in plain SQL, by sqlglot: TOP and FETCH FIRST become LIMIT, and so on.

sqlglot comes with the extra `piql[import]`, so it is imported only where a statement needs it.
"""

from __future__ import annotations

from piql.importing.dialects import Dialect
from piql.importing.writing import quoted

MISSING = "to translate it, install piql[import]"


def translated(statement: str, dialect: Dialect) -> str | None:
    """Return a statement in plain SQL, its parameters written `:name` in both; None where sqlglot cannot read it.

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
        return str(tree.sql(pretty=True))
    except (SqlglotError, RecursionError, ValueError):
        return None
