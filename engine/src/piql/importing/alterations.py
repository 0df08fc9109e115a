"""ALTER TABLE: what dumps and scripts add to a table after its CREATE TABLE.

A statement holds several actions, such as `ADD COLUMN a INT, DROP b`. Each function below applies one kind of action
to the table, and raises LeftOut with the reason where PIQL has nothing of the kind.
"""

from __future__ import annotations

from collections.abc import Sequence

from piql.importing.collected import Collected
from piql.importing.columns import GENERATED_REASON
from piql.importing.defaults import read_default
from piql.importing.schema import ImportedColumn, ImportedTable
from piql.importing.tables import NO_PARTITIONS, read_constraint, read_element
from piql.importing.tokens import ForeignToken, LeftOut, Reader, shown, split_at_commas, unquoted

# What an ADD adds when it adds no column.
_CONSTRAINTS = frozenset(
    {"CONSTRAINT", "PRIMARY", "UNIQUE", "FOREIGN", "CHECK", "EXCLUDE", "KEY", "INDEX", "FULLTEXT", "SPATIAL"}
)
_UNKNOWN_CHANGE = "this change is unknown: change the table in the schema"
# Actions about how a database keeps or checks a table.
_KEEPING = frozenset(
    """
    OWNER CLUSTER REPLICA ENABLE DISABLE CHECK NOCHECK ENGINE AUTO_INCREMENT DEFAULT CONVERT SET RESET VALIDATE FORCE
    ROW LOCK ALGORITHM ORDER COMMENT NOPARALLEL PARALLEL LOGGING NOLOGGING CACHE NOCACHE WITH
    """.split()
)
_VERBS = frozenset({"ADD", "DROP", "ALTER", "MODIFY", "CHANGE", "RENAME", *_KEEPING})
_WITHOUT_TYPE = ("NOT", "NULL", "DEFAULT", "CONSTRAINT")  # what may stand behind the name in Oracle's MODIFY
_KEEPING_REASON = "it says how a database stores or checks the table, not what it contains"


def alter_table(reader: Reader, collected: Collected) -> None:
    """Apply each action behind `ALTER TABLE` to its table; an action that is left out is noted.

    Raises LeftOut where none is taken: the table is unknown, or every action is left out.
    """
    reader.accept("IF", "EXISTS")
    reader.accept("ONLY")
    schema, name = reader.dotted_name()
    reader.accept("*")
    table = collected.find(schema, name)
    if table is None:
        line = collected.left_out_tables.get(name.lower())
        raise LeftOut(f"the table {name} is left out, see line {line}" if line else f"there is no earlier table {name}")
    if not reader.accept("WITH", "CHECK"):  # T-SQL: whether existing rows are checked
        reader.accept("WITH", "NOCHECK")
    actions = _actions(reader)
    reasons: dict[int, str] = {}  # number of an action that is left out → why
    for number, action in enumerate(actions):
        try:
            _alter(Reader(action), table, collected)
        except LeftOut as omission:
            reasons[number] = str(omission)
    if len(reasons) == len(actions):
        raise LeftOut("; ".join(dict.fromkeys(reasons.values())) or "it changes nothing")
    for number, reason in reasons.items():
        action = actions[number]
        collected.note(action[0].line, "left out", f"{shown(action)} of {table.name}", reason)


def _actions(reader: Reader) -> list[list[ForeignToken]]:
    """Take all actions, which stand between commas, each with its verb.

    T-SQL and Oracle write `ADD a INT, b INT`: a part without a verb has the verb of the first part. Oracle also writes
    `MODIFY (a INT, b INT)` and `DROP (a, b)`.
    """
    parts = [part for action in split_at_commas(reader.rest()) for part in _without_brackets(list(action))]
    verb = parts[0][:1] if parts else []
    return [part if at == 0 or part[0].word in _VERBS else [*verb, *part] for at, part in enumerate(parts)]


def _without_brackets(action: list[ForeignToken]) -> list[list[ForeignToken]]:
    """Return one action for each element of `MODIFY (…)` and `DROP (…)`, and any other action as it is."""
    words = [token.word for token in action[:2]]
    if words not in (["MODIFY", "("], ["DROP", "("]) or action[-1].text != ")":
        return [action]
    return [[action[0], *element] for element in split_at_commas(action[2:-1])]


def _alter(reader: Reader, table: ImportedTable, collected: Collected) -> None:
    """Apply one action."""
    if reader.accept("ADD"):
        _add(reader, table, collected)
    elif reader.follows("ALTER") or reader.follows("MODIFY"):
        _alter_column(reader, table, collected)
    elif reader.follows("DROP"):
        _drop(reader, table)
    elif reader.follows("RENAME"):
        _rename(reader, table, collected)
    elif reader.word() in _KEEPING:
        raise LeftOut(_KEEPING_REASON)
    elif reader.follows("ATTACH"):
        raise LeftOut(NO_PARTITIONS)
    else:
        raise LeftOut(_UNKNOWN_CHANGE)


def _add(reader: Reader, table: ImportedTable, collected: Collected) -> None:
    """Read what stands behind ADD: a column, several columns in brackets, or a constraint."""
    if reader.word() == "(" and reader.tokens[-1].text == ")":  # Oracle: ADD (a INT, CONSTRAINT c …)
        for element in split_at_commas(reader.group()):
            read_element(element, table, collected)
        return
    if reader.follows("CONSTRAINT") and reader.word(2) == "DEFAULT":
        reader.take()
        reader.name()
    if reader.accept("DEFAULT"):
        _add_default(reader, table)
        return
    if reader.word() in _CONSTRAINTS:
        read_constraint(reader, table, collected)
        return
    if reader.word() in ("GENERATED", "PARTITION"):
        raise LeftOut(NO_PARTITIONS)
    reader.accept("COLUMN")
    reader.accept("IF", "NOT", "EXISTS")
    if reader.is_at_end:
        raise LeftOut("it ends too early")
    read_element(_without_position(reader.rest()), table, collected)


def _add_default(reader: Reader, table: ImportedTable) -> None:
    """Read SQL Server's `ADD DEFAULT value FOR column`."""
    tokens = reader.rest()
    at = next((at for at, token in enumerate(tokens) if token.word == "FOR"), len(tokens))
    column = table.column(unquoted(tokens[at + 1])) if at + 1 < len(tokens) else None
    if column is None:
        raise LeftOut("it names no column")
    column.default = read_default(tokens[:at], column.type)


def _without_position(tokens: Sequence[ForeignToken]) -> list[ForeignToken]:
    """Return the definition of a column without MySQL's `FIRST` or `AFTER column` at its end."""
    column = list(tokens)
    if column and column[-1].word == "FIRST":
        return column[:-1]
    return column[:-2] if len(column) > 2 and column[-2].word == "AFTER" else column


def _alter_column(reader: Reader, table: ImportedTable, collected: Collected) -> None:
    """Apply `ALTER COLUMN column …` or `MODIFY column …`."""
    line = reader.line
    is_modified = reader.take().word == "MODIFY"
    reader.accept("COLUMN")
    start = reader.at
    name = reader.name()
    column = table.column(name)
    if column is None:
        raise LeftOut(f"there is no column {name}")
    subject = f"{table.name}.{column.name}"
    if reader.accept("SET", "NOT", "NULL"):
        column.may_be_null = False
    elif reader.accept("DROP", "NOT", "NULL"):
        column.may_be_null = True
    elif reader.accept("ADD", "GENERATED") or reader.follows("SET", "DEFAULT", "NEXTVAL"):
        reader.rest()
        collected.note(line, "changed", subject, GENERATED_REASON)
    elif reader.accept("SET", "DEFAULT"):
        column.default = read_default(reader.rest(), column.type)
    elif reader.accept("DROP", "DEFAULT"):
        column.default = ""
    elif reader.word() in ("SET", "DROP") and not reader.follows("SET", "DATA", "TYPE"):
        raise LeftOut(_KEEPING_REASON)
    elif is_modified and reader.word() in _WITHOUT_TYPE:
        _modify(reader, column)
    else:
        _define_again(reader, table, collected, reader.tokens[start], is_modified=is_modified)


def _modify(reader: Reader, column: ImportedColumn) -> None:
    """Apply Oracle's `MODIFY column [DEFAULT value] [[NOT] NULL]`, in which the type stays as it is."""
    if reader.accept("DEFAULT"):
        value = [reader.take()]
        while not reader.is_at_end and reader.word() not in ("NOT", "NULL", "ENABLE", "CONSTRAINT"):
            value.append(reader.take())
        column.default = read_default(value, column.type)
    if reader.accept("CONSTRAINT"):
        reader.name()
    if reader.accept("NOT", "NULL"):
        column.may_be_null = False
    elif reader.accept("NULL"):
        column.may_be_null = True


def _define_again(
    reader: Reader, table: ImportedTable, collected: Collected, name: ForeignToken, *, is_modified: bool
) -> None:
    """Read what stands behind the name in `MODIFY column type …` or `ALTER COLUMN column [TYPE] type …`.

    The column is read anew from that, and takes the position of the column before.
    """
    if not reader.accept("TYPE"):
        reader.accept("SET", "DATA", "TYPE")
    definition = [name, *_without_position(reader.rest())]
    words = [token.word for token in definition]
    definition = definition[: words.index("USING")] if "USING" in words and not is_modified else definition
    column = table.column(Reader([name]).name())
    if column is None or len(definition) < 2:
        raise LeftOut(_UNKNOWN_CHANGE)
    position = table.columns.index(column)
    table.remove_column(column)
    read_element(definition, table, collected)
    changed = table.column(column.name)
    if changed is not None:
        table.columns.remove(changed)
        table.columns.insert(position, changed)
        changed.comment = changed.comment or column.comment
        if changed.may_be_null is None and not is_modified:
            changed.may_be_null = column.may_be_null


def _drop(reader: Reader, table: ImportedTable) -> None:
    """Apply `DROP COLUMN column`."""
    reader.take()
    if reader.word() in ("CONSTRAINT", "PRIMARY", "FOREIGN", "INDEX", "KEY", "CHECK", "PARTITION", "DEFAULT"):
        raise LeftOut("remove it from the schema if it is there")
    reader.accept("COLUMN")
    reader.accept("IF", "EXISTS")
    column = table.column(reader.name())
    if column is None:
        raise LeftOut("there is no such column")
    table.leave_column_out(column, reader.tokens[0].line)


def _rename(reader: Reader, table: ImportedTable, collected: Collected) -> None:
    """Apply `RENAME TO table`; columns and constraints are not renamed."""
    reader.take()
    if not reader.accept_any(("TO", "AS")):
        raise LeftOut("rename it in the schema")
    collected.rename(table, reader.name())
