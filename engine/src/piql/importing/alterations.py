"""ALTER TABLE: what dumps and scripts add to a table after its CREATE TABLE."""

from __future__ import annotations

from collections.abc import Sequence

from piql.importing.collected import Collected
from piql.importing.columns import GENERATED_REASON
from piql.importing.schema import ImportedTable
from piql.importing.tables import read_constraint, read_element
from piql.importing.tokens import ForeignToken, Reader, Unread, shown, split_at_commas

_CONSTRAINTS = frozenset(
    {"CONSTRAINT", "PRIMARY", "UNIQUE", "FOREIGN", "CHECK", "EXCLUDE", "KEY", "INDEX", "FULLTEXT", "SPATIAL"}
)
# Actions about how a database keeps or checks a table.
_KEEPING = frozenset(
    """
    OWNER CLUSTER REPLICA ENABLE DISABLE CHECK NOCHECK ENGINE AUTO_INCREMENT DEFAULT CONVERT SET RESET VALIDATE FORCE
    ROW LOCK ALGORITHM ORDER COMMENT NOPARALLEL PARALLEL LOGGING NOLOGGING CACHE NOCACHE WITH
    """.split()
)
KEEPING_REASON = "it says how a database keeps or checks the table, not what it holds"


def alter_table(reader: Reader, collected: Collected) -> str:
    """Apply each action to the table; return why the whole statement is left out, '' where some of it is taken."""
    reader.accept("IF", "EXISTS")
    reader.accept("ONLY")
    schema, name = reader.dotted_name()
    reader.accept("*")
    table = collected.find(schema, name)
    if table is None:
        line = collected.left_out_tables.get(name.lower())
        return f"the table {name} is left out, see line {line}" if line else f"there is no table {name} before"
    reader.accept("WITH", "CHECK") or reader.accept("WITH", "NOCHECK")
    actions = [action for action in _actions(reader) if action]
    reasons = [_alter(action, table, collected) for action in actions]
    if all(reasons):
        return "; ".join(dict.fromkeys(reasons)) or "it changes nothing"
    for action, reason in zip(actions, reasons, strict=True):
        if reason:
            collected.note(action[0].line, "left out", f"{shown(action)} of {table.name}", reason)
    return ""


def _actions(reader: Reader) -> list[list[ForeignToken]]:
    """Split the actions at commas; `ADD a INT, b INT` of T-SQL and Oracle names ADD once."""
    parts = [list(part) for part in split_at_commas(reader.rest())]
    verbs = frozenset({"ADD", "DROP", "ALTER", "MODIFY", "CHANGE", "RENAME", *_KEEPING})
    first = parts[0][:1] if parts else []
    return [part if at == 0 or part[0].word in verbs else [*first, *part] for at, part in enumerate(parts)]


def _alter(action: list[ForeignToken], table: ImportedTable, collected: Collected) -> str:
    reader = Reader(action)
    try:
        if reader.accept("ADD"):
            return _add(reader, table, collected)
        if reader.follows("ALTER") or reader.follows("MODIFY"):
            return _alter_column(reader, table, collected)
        if reader.follows("DROP"):
            return _drop(reader, table)
        if reader.follows("RENAME"):
            return _rename(reader, table, collected)
        if reader.word() in _KEEPING:
            return KEEPING_REASON
        if reader.follows("ATTACH"):
            return "PIQL spreads the rows itself"
        raise Unread("this change is not known: change the table in the schema")
    except Unread as reason:
        return str(reason)


def _add(reader: Reader, table: ImportedTable, collected: Collected) -> str:
    if reader.word() == "(" and reader.tokens[-1].text == ")":  # Oracle: ADD (a INT, CONSTRAINT c …)
        for element in split_at_commas(reader.group()):
            read_element(element, table, collected)
        return ""
    if (reader.follows("CONSTRAINT") and reader.word(2) == "DEFAULT") or reader.follows("DEFAULT"):
        reader.accept("CONSTRAINT") and reader.name()
        reader.take()
        return f"PIQL has no DEFAULT: give {shown(reader.rest())} in the INSERT"
    if reader.word() in _CONSTRAINTS:
        read_constraint(reader, table, collected)
        return ""
    if reader.accept("GENERATED") or reader.word() == "PARTITION":
        return "PIQL spreads the rows itself"
    reader.accept("COLUMN")
    reader.accept("IF", "NOT", "EXISTS")
    if reader.is_at_end:
        raise Unread("it ends too early")
    read_element(_without_place(reader.rest()), table, collected)
    return ""


def _without_place(tokens: Sequence[ForeignToken]) -> list[ForeignToken]:
    """Leave out MySQL's FIRST and AFTER column at the end of a column."""
    column = list(tokens)
    if column and column[-1].word == "FIRST":
        return column[:-1]
    return column[:-2] if len(column) > 2 and column[-2].word == "AFTER" else column


def _alter_column(reader: Reader, table: ImportedTable, collected: Collected) -> str:
    line = reader.line
    is_modified = reader.take().word == "MODIFY"
    reader.accept("COLUMN")
    at = reader.at
    name = reader.name()
    column = table.column(name)
    if column is None:
        raise Unread(f"there is no column {name}")
    subject = f"{table.name}.{column.name}"
    if reader.accept("SET", "NOT", "NULL"):
        column.may_be_null = False
        return ""
    if reader.accept("DROP", "NOT", "NULL"):
        column.may_be_null = True
        return ""
    if reader.accept("ADD", "GENERATED") or reader.follows("SET", "DEFAULT", "NEXTVAL"):
        reader.rest()
        collected.note(line, "changed", subject, GENERATED_REASON)
        return ""
    if reader.accept("SET", "DEFAULT"):
        return f"PIQL has no DEFAULT: give {shown(reader.rest())} in the INSERT"
    if reader.word() in ("SET", "DROP"):
        reader.rest()
        return KEEPING_REASON
    return _define_again(reader, table, collected, at, is_modified=is_modified)


def _define_again(reader: Reader, table: ImportedTable, collected: Collected, at: int, *, is_modified: bool) -> str:
    """Read `MODIFY column type …`, and `ALTER COLUMN column [TYPE] type …`, as the column's definition."""
    name = reader.tokens[at]
    if reader.accept("TYPE") or reader.accept("SET", "DATA", "TYPE"):
        pass
    definition = [name, *_without_place(reader.rest())]
    words = [token.word for token in definition]
    definition = definition[: words.index("USING")] if "USING" in words and not is_modified else definition
    column = table.column(Reader([name]).name())
    if column is None or len(definition) < 2:
        raise Unread("this change is not known: change the table in the schema")
    position = table.columns.index(column)
    table.columns.remove(column)
    del table.folded[column.name.lower()]
    read_element(definition, table, collected)
    changed = table.column(column.name)
    if changed is not None:
        table.columns.remove(changed)
        table.columns.insert(position, changed)
        changed.comment = changed.comment or column.comment
        if changed.may_be_null is None and not is_modified:
            changed.may_be_null = column.may_be_null
    return ""


def _drop(reader: Reader, table: ImportedTable) -> str:
    reader.take()
    if reader.word() in ("CONSTRAINT", "PRIMARY", "FOREIGN", "INDEX", "KEY", "CHECK", "PARTITION", "DEFAULT"):
        raise Unread("take it out of the schema, if it is there")
    reader.accept("COLUMN")
    reader.accept("IF", "EXISTS")
    column = table.column(reader.name())
    if column is None:
        raise Unread("there is no such column")
    table.columns.remove(column)
    del table.folded[column.name.lower()]
    table.left_out_columns[column.name.lower()] = reader.tokens[0].line
    return ""


def _rename(reader: Reader, table: ImportedTable, collected: Collected) -> str:
    reader.take()
    if reader.accept("TO") or reader.accept("AS"):
        name = reader.name()
        collected.rename(table, name)
        return ""
    raise Unread("rename it in the schema")
