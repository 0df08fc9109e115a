"""Reads the tables of a keyspace into a staged application: nothing is written there, and no row is read.

The application gets `development`, which is a file of its own, and an environment on the cluster whose tables have a
prefix. So no table of the keyspace has the name of one that the application will have.
"""

from __future__ import annotations

from pathlib import Path

from piql.errors import StoreUnavailable
from piql.importing.keyspaces import keyspace_notes, schema_text, taken_tables
from piql.store.cql.address import parse_address
from piql.store.cql.schema.foreign_tables import ForeignTable, read_keyspace

from piql_backend.application_imports.staged import ImportNote, Staged, StagingRefused, write_staged
from piql_backend.application_imports.texts import shortened
from piql_backend.archives.layout import ArchivedEnvironment
from piql_backend.environments.schemas import StoreWrite
from piql_backend.environments.settings_file import url_of

CLUSTER = "cluster"


def stage_keyspace(store: StoreWrite, prefix: str, into: Path) -> None:
    """Write the tables of a keyspace as a staged application. Raises StagingRefused, StoreUnavailable."""
    try:
        address = parse_address(url_of(store))
    except StoreUnavailable as fault:
        raise StagingRefused(str(fault)) from None
    if address.prefix:
        raise StagingRefused("the address of the keyspace has a prefix", "Leave it out: all its tables are read.")
    tables = read_keyspace(address)
    _refuse_collision(tables, prefix)
    if not taken_tables(tables):
        raise StagingRefused(f"no table of the keyspace {address.keyspace} can be imported")
    joint = "&" if "?" in store.url else "?"
    environment_store = store.model_copy(update={"url": f"{store.url}{joint}prefix={prefix}"})
    cluster = ArchivedEnvironment(id=CLUSTER, title="Cluster", colour="amber", kind="named", store=environment_store)
    rows = ImportNote(what="rows", why="they stay where they are: PIQL writes tables of its own beside them")
    notes = shortened([rows, *(ImportNote(what=name, why=note) for name, note in keyspace_notes(tables))])
    staged = Staged(
        title=address.keyspace,
        environments=(ArchivedEnvironment(id="development", title="development"), cluster),
        notes=notes,
    )
    write_staged(into, staged, {"schema.piql": schema_text(address.keyspace, tables)})


def _refuse_collision(tables: tuple[ForeignTable, ...], prefix: str) -> None:
    taken = next((table.name for table in tables if table.name.startswith(prefix)), None)
    if taken is not None:
        raise StagingRefused(f"the keyspace has a table {taken}, which begins with {prefix}", "Choose another prefix.")
