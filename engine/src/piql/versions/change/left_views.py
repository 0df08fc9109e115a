"""Which views of the version before are left: they stay in the store, and no write keeps them up."""

from __future__ import annotations

from piql.store.base import Store
from piql.versions.change.state import SchemaState, compiled


def left_views_of(state: SchemaState, store: Store) -> tuple[str, ...]:
    """Return the views of the version before that no writer keeps up once nobody reads by that version.

    Without transactions these are its views of several tables: they hold rows (`held_rows`), and no version may be held
    by what it does not have. A rollback fills them anew.
    """
    if store.row_writes is None or state.before is None:
        return state.left_views
    kept = compiled(state.in_force, state).tables
    dropped = (
        name
        for name, table in compiled(state.before, state).tables.items()
        if table.view is not None and table.view.joins and name not in kept
    )
    return tuple(dict.fromkeys((*state.left_views, *dropped)))
