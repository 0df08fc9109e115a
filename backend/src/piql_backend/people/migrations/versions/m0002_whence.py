"""Where a session was begun, and when a token was last used."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add both columns; of what there is already, neither is known."""
    op.add_column("sessions", sa.Column("address", sa.String(60), nullable=False, server_default=""))
    op.add_column("tokens", sa.Column("used_at", sa.Integer))
