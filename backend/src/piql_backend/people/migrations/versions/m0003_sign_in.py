"""People of OpenID providers, and by what and in which browser a session was begun."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the links and both columns: until now, all sessions were begun by a password."""
    op.create_table(
        "identities",
        sa.Column("issuer", sa.String(300), primary_key=True),
        sa.Column("subject", sa.String(255), primary_key=True),
        sa.Column("account_id", sa.Integer, sa.ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False),
        sa.Column("made_at", sa.Integer, nullable=False),
    )
    op.create_index("ix_identities_account_id", "identities", ["account_id"])
    for column in ("browser", "provider"):
        op.add_column("sessions", sa.Column(column, sa.String(60), nullable=False, server_default=""))
