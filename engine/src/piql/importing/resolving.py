"""Tables as read → tables that PIQL takes: each has a key, each foreign key a key to refer to, each name is free."""

from __future__ import annotations

from collections.abc import Sequence

from piql.compiler.syntax.cursor import MAX_ELEMENTS, MAX_KEY_COLUMNS
from piql.importing.collected import Collected
from piql.importing.schema import (
    ImportedColumn,
    ImportedIndex,
    ImportedKey,
    ImportedReference,
    ImportedTable,
)
from piql.schema.types import COLUMN_TYPES, KIND_OF_NAME


def resolve(collected: Collected) -> dict[int, str]:
    """Change the tables in place until they compile, with a note for all that is changed or left out by that.

    Returns the lines of tables that are left out as a whole, with the reason; they have no note yet.
    """
    left_out: dict[int, str] = {}
    for table in list(collected.tables):
        reason = _give_key(table, collected)
        if reason:
            collected.remove(table)
            collected.left_out_tables[table.name.lower()] = table.line
            left_out[table.line] = reason
    for table in collected.tables:
        _keep_unique_keys(table, collected)
    for table in collected.tables:
        _keep_references(table, collected)
        _keep_indexes(table, collected)
    _name_tables(collected)
    _name_indexes(collected)
    return left_out


def _give_key(table: ImportedTable, collected: Collected) -> str:
    """Find the primary key of a table, or add one; return why the table is left out, '' where it stays."""
    if not table.columns:
        return "it has no column that PIQL could hold"
    if all(column.name.lower() in {name.lower() for name in table.primary_key} for column in table.columns):
        lost = len(table.left_out_columns)
        if lost and table.primary_key:
            return f"none of its {lost} other column{'s' * (lost > 1)} is imported, so its rows would say nothing"
    if len(table.columns) + len(table.unique_keys) + len(table.references) > MAX_ELEMENTS:
        return f"it has more than {MAX_ELEMENTS:,} columns and constraints"
    missing = [name for name in table.primary_key if table.column(name) is None]
    if missing:
        return f"its primary key holds {missing[0]}, which is left out"
    if len(table.primary_key) > MAX_KEY_COLUMNS:
        return f"its primary key has more than {MAX_KEY_COLUMNS} columns"
    if table.primary_key:
        table.primary_key = tuple(dict.fromkeys(_declared(table, table.primary_key)))
        return ""
    subject = f"table {table.name}"
    for key in table.unique_keys:
        columns = [table.column(name) for name in key.columns]
        if all(column is not None and column.may_be_null is False for column in columns):
            table.primary_key, table.key_line = _declared(table, key.columns), key.line
            shown = ", ".join(table.primary_key)
            collected.note(table.line, "changed", subject, f"it has no primary key: UNIQUE ({shown}) becomes it")
            return ""
    name = _free("row_id", table.folded)
    column = ImportedColumn(name, "UUID", table.line)
    table.columns.insert(0, column)
    table.folded[name] = column
    table.primary_key = (name,)
    reason = f"it has no primary key: {name} is added, for which each INSERT gives a new UUID"
    collected.note(table.line, "changed", subject, reason)
    return ""


def _declared(table: ImportedTable, names: Sequence[str]) -> tuple[str, ...]:
    """Return the names as the columns are declared."""
    return tuple(column.name for name in names if (column := table.column(name)) is not None)


def _missing(table: ImportedTable, names: Sequence[str]) -> str:
    """Return why a constraint on these columns is left out, '' where all are there."""
    for name in names:
        if table.column(name) is None:
            is_left_out = name.lower() in table.left_out_columns
            return f"its column {name} is left out" if is_left_out else f"there is no column {name}"
    if len({name.lower() for name in names}) < len(names):
        return "it names a column twice"
    return f"it has more than {MAX_KEY_COLUMNS} columns" if len(names) > MAX_KEY_COLUMNS else ""


def _keep_unique_keys(table: ImportedTable, collected: Collected) -> None:
    kept: dict[frozenset[str], ImportedKey] = {}
    for key in table.unique_keys:
        reason = _missing(table, key.columns)
        columns = _declared(table, key.columns)
        if not reason and set(columns) == set(table.primary_key):
            reason = "the primary key says the same"
        elif not reason and frozenset(columns) in kept:
            reason = f"line {kept[frozenset(columns)].line} says the same"
        if reason:
            collected.note(key.line, "left out", f"UNIQUE ({', '.join(key.columns)}) of {table.name}", reason)
        else:
            kept[frozenset(columns)] = ImportedKey(columns, key.line, key.name)
    table.unique_keys = list(kept.values())


def _keep_references(table: ImportedTable, collected: Collected) -> None:
    kept: dict[tuple[object, ...], ImportedReference] = {}
    for reference in table.references:
        target = collected.find(reference.schema or table.schema, reference.table)
        target = target or collected.find(reference.schema, reference.table)
        reason = _missing(table, reference.columns)
        columns = _declared(table, reference.columns)
        referenced: tuple[str, ...] = ()
        if not reason and target is None:
            line = collected.left_out_tables.get(reference.table.lower())
            see = f", see line {line}" if line else ""
            reason = f"the table {reference.table} is not imported{see}"
        if target is not None and not reason:
            referenced = _declared(target, reference.referenced) if reference.referenced else target.primary_key
            reason = _no_key(table, columns, target, referenced, reference.referenced)
        key = (columns, reference.table.lower(), referenced)
        if not reason and key in kept:
            reason = f"line {kept[key].line} says the same"
        if reason:
            subject = f"foreign key ({', '.join(reference.columns)}) of {table.name}"
            collected.note(reference.line, "left out", subject, reason)
        elif target is not None:
            name = reference.name
            kept[key] = ImportedReference(columns, target.schema, target.name, referenced, reference.line, name)
    table.references = list(kept.values())


def _no_key(
    table: ImportedTable,
    columns: Sequence[str],
    target: ImportedTable,
    referenced: Sequence[str],
    written: Sequence[str],
) -> str:
    """Return why columns cannot refer to these of another table, '' where they can."""
    if written and len(referenced) < len(written):
        return f"it refers to a column of {target.name} that is not imported"
    keys = [set(target.primary_key), *(set(key.columns) for key in target.unique_keys)]
    if set(referenced) not in keys:
        return f"({', '.join(referenced)}) is no key of {target.name}, so it may name several rows"
    if len(referenced) != len(columns):
        return f"it has {len(columns)} columns, and the key of {target.name} has {len(referenced)}"
    for name, referenced_name in zip(columns, referenced, strict=True):
        column, key_column = table.column(name), target.column(referenced_name)
        if column is not None and key_column is not None and not _are_comparable(column.type, key_column.type):
            return f"{name} is {column.type}, and {target.name}.{referenced_name} is {key_column.type}"
    return ""


def _are_comparable(first: str, second: str) -> bool:
    families = {COLUMN_TYPES[KIND_OF_NAME[written.split("(")[0]]].family for written in (first, second)}
    return len(families) == 1


def _keep_indexes(table: ImportedTable, collected: Collected) -> None:
    kept: dict[tuple[tuple[str, bool], ...], ImportedIndex] = {}
    keys = [table.primary_key, *(key.columns for key in table.unique_keys)]
    for index in table.indexes:
        names = [name for name, _ in index.columns]
        reason = _missing(table, names)
        declared = _declared(table, names)
        columns = tuple(zip(declared, (is_descending for _, is_descending in index.columns), strict=False))
        if not reason and declared == table.primary_key[: len(declared)]:
            reason = "the primary key serves what it serves"
        elif not reason and declared in keys:
            reason = "a UNIQUE serves what it serves"
        elif not reason and columns in kept:
            reason = f"line {kept[columns].line} says the same"
        if reason:
            collected.note(index.line, "left out", f"index {index.name or ', '.join(names)} of {table.name}", reason)
        else:
            kept[columns] = ImportedIndex(index.name, columns, index.line)
    table.indexes = list(kept.values())


def _name_tables(collected: Collected) -> None:
    """Give each table a name of its own: `public.users` is users, a second one is schema_users."""
    taken: set[str] = set()
    names: dict[int, str] = {}
    for table in collected.tables:
        name = table.name
        if name.lower() in taken:
            name = _free(f"{table.schema}_{name}" if table.schema else f"{name}_2", taken)
        if name != table.name:
            reason = f"it is called {name} here: another table has its name" if name != table.name else "renamed"
            collected.note(table.line, "changed", f"table {table.name}", reason)
        taken.add(name.lower())
        names[id(table)] = name
    for table in collected.tables:
        table.references = [
            ImportedReference(
                reference.columns,
                "",
                names[id(target)],
                reference.referenced,
                reference.line,
                reference.name,
            )
            for reference in table.references
            if (target := collected.find(reference.schema, reference.table)) is not None
        ]
    for table in collected.tables:
        table.name = names[id(table)]


def _name_indexes(collected: Collected) -> None:
    """Give each index a name of its own, and each constraint of a table."""
    taken: set[str] = set()
    for table in collected.tables:
        indexes: list[ImportedIndex] = []
        for index in table.indexes:
            name = index.name or "_".join([table.name, *(column for column, _ in index.columns)])
            if name.lower() in taken:
                name = _free(f"{table.name}_{name}", taken)
                if index.name:
                    reason = f"it is called {name} here: names of indexes are unique in all tables"
                    collected.note(index.line, "changed", f"index {index.name} of {table.name}", reason)
            taken.add(name.lower())
            indexes.append(ImportedIndex(name, index.columns, index.line))
        table.indexes = indexes


def _free(name: str, taken: set[str] | dict[str, ImportedColumn]) -> str:
    """Return the name, with a number behind it where it is taken."""
    candidate, number = name, 2
    while candidate.lower() in taken:
        candidate, number = f"{name}_{number}", number + 1
    return candidate
