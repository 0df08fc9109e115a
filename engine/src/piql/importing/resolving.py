"""Tables as read → tables that PIQL takes: each has a key, each foreign key refers to a key, each name is used once.

`resolve` is the entry. The functions change the tables in place; those named `_refuse…`, `_give_key` and
`_columns_of_constraint` raise LeftOut, with the reason, where a table or a constraint is left out.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace

from piql.compiler.syntax.cursor import MAX_ELEMENTS, MAX_KEY_COLUMNS
from piql.importing.checks import check_text
from piql.importing.collected import Collected
from piql.importing.schema import (
    ImportedCheck,
    ImportedColumn,
    ImportedIndex,
    ImportedKey,
    ImportedReference,
    ImportedTable,
    KeyColumn,
)
from piql.importing.tokens import LeftOut
from piql.schema.types import COLUMN_TYPES, KIND_OF_NAME


def resolve(collected: Collected) -> dict[int, str]:
    """Change the tables in place until they compile, with a note for all that is changed or left out by that.

    Returns the lines of tables that are left out as a whole, with the reason; they have no note yet.
    """
    left_out: dict[int, str] = {}
    for table in list(collected.tables):
        try:
            _refuse_unfit(table)
            _give_key(table, collected)
        except LeftOut as omission:
            collected.remove(table)
            collected.left_out_tables[table.name.lower()] = table.line
            left_out[table.line] = str(omission)
    for table in collected.tables:
        _keep_unique_keys(table, collected)
    for table in collected.tables:
        _keep_references(table, collected)
        _keep_indexes(table, collected)
        _keep_checks(table, collected)
    _name_tables(collected)
    _name_indexes(collected)
    return left_out


def _refuse_unfit(table: ImportedTable) -> None:
    """Raise LeftOut for a table that PIQL could not hold, whatever its key."""
    if not table.columns:
        raise LeftOut("none of its columns can be imported")
    key = {name.lower() for name in table.primary_key}
    lost = len(table.left_out_columns.keys() - table.spared_columns)
    if key and lost and all(column.name.lower() in key for column in table.columns):
        raise LeftOut(f"none of its {lost} other column{'s' * (lost > 1)} is imported, so its rows would say nothing")
    constraints = len(table.unique_keys) + len(table.references) + len(table.checks)
    if len(table.columns) + constraints > MAX_ELEMENTS:
        raise LeftOut(f"it has more than {MAX_ELEMENTS:,} columns and constraints")


def _give_key(table: ImportedTable, collected: Collected) -> None:
    """Keep the primary key of a table; else make its first UNIQUE without NULL the key, or add a column of UUIDs."""
    missing = [name for name in table.primary_key if table.column(name) is None]
    if missing:
        raise LeftOut(f"its primary key contains {missing[0]}, which is left out")
    if len(table.primary_key) > MAX_KEY_COLUMNS:
        raise LeftOut(f"its primary key has more than {MAX_KEY_COLUMNS} columns")
    if table.primary_key:
        table.primary_key = tuple(dict.fromkeys(_declared(table, table.primary_key)))
        return
    subject = f"table {table.name}"
    for key in table.unique_keys:
        columns = [table.column(name) for name in key.columns]
        if all(column is not None and column.may_be_null is False for column in columns):
            table.primary_key, table.key_line = _declared(table, key.columns), key.line
            names = ", ".join(table.primary_key)
            collected.note(table.line, "changed", subject, f"it has no primary key: UNIQUE ({names}) becomes it")
            return
    name = _free("row_id", table.folded)
    column = ImportedColumn(name, "UUID", table.line)
    table.columns.insert(0, column)
    table.folded[name] = column
    table.primary_key = (name,)
    reason = f"it has no primary key: {name} is added, for which each INSERT gives a new UUID"
    collected.note(table.line, "changed", subject, reason)


def _declared(table: ImportedTable, names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of columns as the table declares them, without those that it does not have."""
    return tuple(column.name for name in names if (column := table.column(name)) is not None)


def _columns_of_constraint(table: ImportedTable, names: Sequence[str]) -> tuple[str, ...]:
    """Return the names as the table declares them; raise LeftOut where no constraint can be on these columns."""
    for name in names:
        if table.column(name) is None:
            is_left_out = name.lower() in table.left_out_columns
            raise LeftOut(f"its column {name} is left out" if is_left_out else f"there is no column {name}")
    if len({name.lower() for name in names}) < len(names):
        raise LeftOut("it names a column twice")
    if len(names) > MAX_KEY_COLUMNS:
        raise LeftOut(f"it has more than {MAX_KEY_COLUMNS} columns")
    return _declared(table, names)


def _keep_unique_keys(table: ImportedTable, collected: Collected) -> None:
    """Keep each UNIQUE that says something new; note all others."""
    kept: dict[frozenset[str], ImportedKey] = {}
    for key in table.unique_keys:
        try:
            columns = _columns_of_constraint(table, key.columns)
            if set(columns) == set(table.primary_key):
                raise LeftOut("the primary key already says this")
            _refuse_repeated(kept.get(frozenset(columns)))
        except LeftOut as omission:
            subject = f"UNIQUE ({', '.join(key.columns)}) of {table.name}"
            collected.note(key.line, "left out", subject, str(omission))
        else:
            kept[frozenset(columns)] = replace(key, columns=columns)
    table.unique_keys = list(kept.values())


def _refuse_repeated(constraint: ImportedKey | ImportedReference | ImportedIndex | None) -> None:
    """Raise LeftOut where a constraint or an index that says the same is kept already."""
    if constraint is not None:
        raise LeftOut(f"line {constraint.line} already says this")


def _keep_references(table: ImportedTable, collected: Collected) -> None:
    """Keep each foreign key whose table is imported and that refers to a key of it; note all others."""
    kept: dict[tuple[object, ...], ImportedReference] = {}
    for reference in table.references:
        try:
            columns = _columns_of_constraint(table, reference.columns)
            target = _target(reference, table, collected)
            referenced = _declared(target, reference.referenced) if reference.referenced else target.primary_key
            if len(referenced) < len(reference.referenced):
                raise LeftOut(f"it refers to a column of {target.name} that is not imported")
            _refuse_no_key(table, columns, target, referenced)
            key = (columns, reference.table.lower(), referenced)
            _refuse_repeated(kept.get(key))
        except LeftOut as omission:
            subject = f"foreign key ({', '.join(reference.columns)}) of {table.name}"
            collected.note(reference.line, "left out", subject, str(omission))
        else:
            kept[key] = replace(
                reference, columns=columns, schema=target.schema, table=target.name, referenced=referenced
            )
    table.references = list(kept.values())


def _target(reference: ImportedReference, table: ImportedTable, collected: Collected) -> ImportedTable:
    """Return the table that a foreign key of `table` refers to; raise LeftOut where it is not imported."""
    target = collected.find(reference.schema or table.schema, reference.table)
    target = target or collected.find(reference.schema, reference.table)
    if target is None:
        line = collected.left_out_tables.get(reference.table.lower())
        see = f", see line {line}" if line else ""
        raise LeftOut(f"the table {reference.table} is not imported{see}")
    return target


def _refuse_no_key(
    table: ImportedTable, columns: Sequence[str], target: ImportedTable, referenced: Sequence[str]
) -> None:
    """Raise LeftOut where `referenced` is no key of `target`, or the types of `columns` are not those of the key."""
    keys = [set(target.primary_key), *(set(key.columns) for key in target.unique_keys)]
    if set(referenced) not in keys:
        raise LeftOut(f"({', '.join(referenced)}) is not a key of {target.name}, so several rows may match")
    if len(referenced) != len(columns):
        raise LeftOut(f"it has {len(columns)} columns, and the key of {target.name} has {len(referenced)}")
    for name, referenced_name in zip(columns, referenced, strict=True):
        column, key_column = table.column(name), target.column(referenced_name)
        if column is not None and key_column is not None and not _are_comparable(column.type, key_column.type):
            raise LeftOut(f"{name} is {column.type}, and {target.name}.{referenced_name} is {key_column.type}")


def _are_comparable(first: str, second: str) -> bool:
    """Say whether values of two types of PIQL, as they are written, can be compared: INT with BIGINT, not with TEXT."""
    families = {COLUMN_TYPES[KIND_OF_NAME[written.split("(")[0]]].family for written in (first, second)}
    return len(families) == 1


def _keep_indexes(table: ImportedTable, collected: Collected) -> None:
    """Keep each index that serves what no key serves; note all others."""
    kept: dict[tuple[KeyColumn, ...], ImportedIndex] = {}
    keys = [table.primary_key, *(key.columns for key in table.unique_keys)]
    for index in table.indexes:
        names = [column.name for column in index.columns]
        try:
            declared = _columns_of_constraint(table, names)
            if declared == table.primary_key[: len(declared)]:
                raise LeftOut("the primary key serves the same queries")
            if declared in keys:
                raise LeftOut("a UNIQUE constraint serves the same queries")
            columns = tuple(replace(column, name=name) for column, name in zip(index.columns, declared, strict=True))
            _refuse_repeated(kept.get(columns))
        except LeftOut as omission:
            subject = f"index {index.name or ', '.join(names)} of {table.name}"
            collected.note(index.line, "left out", subject, str(omission))
        else:
            kept[columns] = replace(index, columns=columns)
    table.indexes = list(kept.values())


def _keep_checks(table: ImportedTable, collected: Collected) -> None:
    """Keep each CHECK that PIQL takes, once; note all others."""
    kept: dict[str, ImportedCheck] = {}
    for check in table.checks:
        try:
            text = check_text(check, table)
        except LeftOut as omission:
            collected.note(check.line, "left out", f"CHECK of {check.subject}", str(omission))
        else:
            kept.setdefault(text, replace(check, text=text))
    table.checks = list(kept.values())


def _name_tables(collected: Collected) -> None:
    """Make the names of tables differ: `public.users` is users, a second `audit.users` is audit_users."""
    taken: set[str] = set()
    names: dict[int, str] = {}
    for table in collected.tables:
        name = table.name
        if name.lower() in taken:
            name = _free(f"{table.schema}_{name}" if table.schema else f"{name}_2", taken)
        if name != table.name:
            reason = f"it is renamed to {name}: another table has its name"
            collected.note(table.line, "changed", f"table {table.name}", reason)
        taken.add(name.lower())
        names[id(table)] = name
    for table in collected.tables:
        table.references = [
            replace(reference, schema="", table=names[id(target)])
            for reference in table.references
            if (target := collected.find(reference.schema, reference.table)) is not None
        ]
    for table in collected.tables:
        table.name = names[id(table)]


def _name_indexes(collected: Collected) -> None:
    """Give each index a name that no other index has, in any table."""
    taken: set[str] = set()
    for table in collected.tables:
        indexes: list[ImportedIndex] = []
        for index in table.indexes:
            name = index.name or "_".join([table.name, *(column.name for column in index.columns)])
            if name.lower() in taken:
                name = _free(f"{table.name}_{name}", taken)
                if index.name:
                    reason = f"it is renamed to {name}: names of indexes are unique across all tables"
                    collected.note(index.line, "changed", f"index {index.name} of {table.name}", reason)
            taken.add(name.lower())
            indexes.append(replace(index, name=name))
        table.indexes = indexes


def _free(name: str, taken: Container[str]) -> str:
    """Return the name, with a number behind it where it is taken; `taken` holds names in lower case."""
    candidate, number = name, 2
    while candidate.lower() in taken:
        candidate, number = f"{name}_{number}", number + 1
    return candidate
