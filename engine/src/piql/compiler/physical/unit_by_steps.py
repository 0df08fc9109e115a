"""Which units a store without transactions makes: those of records named by primary keys, and of groups that are held.

Such a unit holds each record that it reads or writes until it is decided (docs/decisions/0083), and of a group of rows
the one that they name (`unit_groups`). What else a unit may do has a reason here, which a deployment to such a store
gives.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from piql.compiler.physical.operators import IndexFKJoin, IndexScan, PhysicalNode, SortedIndexJoin
from piql.compiler.physical.unit_groups import group_of, is_get
from piql.compiler.physical.write_plan import WritePlan
from piql.schema.catalog import CardinalityLimit, Table, UniqueKey

Statement = WritePlan | PhysicalNode


def reason_against_steps_of_unit(statements: Sequence[Statement], tables: Iterable[Table] = ()) -> str | None:
    """Return why a store without transactions does not make a unit, in words behind its name; None where it does.

    `tables` are those of the set with its views.
    """
    by_name = {table.name: table for table in tables}
    fed = {name: table.name for table in by_name.values() if table.view is not None for name in table.view.tables}
    for number, statement in enumerate(statements, 1):
        if isinstance(statement, WritePlan):
            reason = _reason_of_write(statement, fed, by_name)
        else:
            reason = _reason_of_read(statement, by_name)
        if reason is not None:
            return f"has a statement ({number} of {len(statements)}) that {reason}"
    return _reason_of_groups([statement for statement in statements if isinstance(statement, WritePlan)])


def tables_held(statements: Sequence[Statement]) -> set[str]:
    """Return the tables of which such a unit holds records: those that it writes, reads, and names by foreign keys.

    Of a table whose rows it looks for, those are in that any of its foreign keys names.
    """
    writes = [statement for statement in statements if isinstance(statement, WritePlan)]
    reads = [read for plan in plans_read(statements) for read in _reads(plan)]
    read = {by.table.name for by in reads}
    named = {key.table for by in reads if not is_get(by) for key in by.table.foreign_keys}
    named |= {key.table for write in writes for key in write.references}
    return read | named | {write.table.name for write in writes}


def plans_read(statements: Sequence[Statement]) -> list[PhysicalNode]:
    """Return the plans of LETs, and of the sections of writes."""
    plans = [statement.section if isinstance(statement, WritePlan) else statement for statement in statements]
    return [plan for plan in plans if plan is not None]


def records_held(write: WritePlan) -> int:
    """Return how many records a unit holds for each row of a write: its own, and those that its foreign keys name."""
    return 1 + len(write.references)


def _reason_of_write(write: WritePlan, fed: dict[str, str], tables: Mapping[str, Table]) -> str | None:
    """Return why a write has no part in such a unit."""
    table = write.table.name
    reason = _reason_of_read(write.section, tables) if write.section is not None else None
    if reason is not None:
        return reason
    if write.given_by is not None:
        return "reads values in VALUES (a LET may read them)"
    if write.found_by is not None or write.looked_up:
        return "finds its row by a UNIQUE key"
    if any(way.referrers for way in _ways(write)):
        return f"may take a row of {table} away that other rows name"
    if write.unique_references:
        return "has a foreign key to a UNIQUE key"
    view = fed.get(table) or next((upkeep.view.name for upkeep in write.views), None)
    if view is not None:
        return f"writes {table}, which feeds the view {view}"
    return None


def _ways(write: WritePlan) -> tuple[WritePlan, ...]:
    """Return a write and, of one with ON CONFLICT DO UPDATE, the way where there is such a row."""
    return (write,) if write.otherwise is None else (write, write.otherwise)


def _reason_of_read(plan: PhysicalNode, tables: Mapping[str, Table]) -> str | None:
    """Return why a LET or a section has no part in such a unit: it reads more than rows by keys and held groups."""
    for read in _reads(plan):
        is_held = is_get(read) if isinstance(read, IndexFKJoin) else is_get(read) or group_of(read, tables) is not None
        if not is_held:
            table = read.table.name
            return f"looks for rows of {table} that do not all name one row by a foreign key with a CARDINALITY LIMIT"
    return None


def _reads(plan: PhysicalNode) -> list[IndexScan | SortedIndexJoin | IndexFKJoin]:
    """Return what reads records; the one row that every query may begin with reads nothing."""
    scans = [scan for scan in plan.find(IndexScan) if scan.limit.max]
    return [*scans, *plan.find(SortedIndexJoin), *plan.find(IndexFKJoin)]


def _reason_of_groups(writes: Sequence[WritePlan]) -> str | None:
    """Return why the limits of a table that several statements write stand against the unit.

    A row that leaves a group makes room only once the unit is made.
    """
    for table in {write.table.name: write.table for write in writes}.values():
        of_table = [write for write in writes if write.table.name == table.name]
        enters = any(way.counted_limits or way.unique_checks for write in of_table for way in _ways(write))
        leaves = any(_may_leave(way) for write in of_table for way in _ways(write))
        if enters and leaves and (len(of_table) > 1 or of_table[0].most_rows > 1):
            return f"may take rows of {table.name} out of groups under a limit, and put others in"
    return None


def _may_leave(write: WritePlan) -> bool:
    """Return whether a row of a write may leave a group that other rows may be in."""
    return any(not set(write.table.primary_key) <= set(_columns(constraint)) for constraint in write.left)


def _columns(constraint: CardinalityLimit | UniqueKey) -> tuple[str, ...]:
    return tuple(constraint.columns)
