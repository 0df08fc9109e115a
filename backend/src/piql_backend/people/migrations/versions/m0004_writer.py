"""Which of several servers has the data folder."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the table of one row."""
    op.create_table(
        "writer",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("folder", sa.String(64), nullable=False),
        sa.Column("address", sa.String(200), nullable=False),
        sa.Column("began_at", sa.Integer, nullable=False),
    )
