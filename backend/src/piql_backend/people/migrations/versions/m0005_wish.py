"""What was asked for, in the record: the path of a request alone does not say which role somebody was given."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the column; of the rows there are, it is not known."""
    op.add_column("audit", sa.Column("wish", sa.String(500), nullable=False, server_default=""))
