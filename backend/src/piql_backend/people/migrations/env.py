"""What Alembic runs to apply migrations: `database.py` hands over the connection, in a transaction."""

from __future__ import annotations

from alembic import context
from piql_backend.people.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
