"""Accounts, roles, sessions, tokens, and the record of who did what, whose rows cannot be changed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def _account() -> sa.Column[int]:
    return sa.Column("account_id", sa.Integer, sa.ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False)


def upgrade() -> None:
    """Make all tables."""
    op.create_table(
        "accounts",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(60), nullable=False, unique=True),
        sa.Column("password_hash", sa.String(300), nullable=False),
        sa.Column("made_at", sa.Integer, nullable=False),
        sa.Column("is_disabled", sa.Boolean, nullable=False),
    )
    op.create_table(
        "roles",
        sa.Column("account_id", sa.Integer, sa.ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("application", sa.String(200), primary_key=True),
        sa.Column("role", sa.String(20), nullable=False),
    )
    op.create_table(
        "sessions",
        sa.Column("digest", sa.String(64), primary_key=True),
        _account(),
        sa.Column("begun_at", sa.Integer, nullable=False),
        sa.Column("seen_at", sa.Integer, nullable=False),
    )
    op.create_table(
        "tokens",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("digest", sa.String(64), nullable=False, unique=True),
        _account(),
        sa.Column("title", sa.String(100), nullable=False),
        sa.Column("role", sa.String(20), nullable=False),
        sa.Column("application", sa.String(200), nullable=False),
        sa.Column("made_at", sa.Integer, nullable=False),
        sa.Column("ends_at", sa.Integer, nullable=False),
    )
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("at", sa.Integer, nullable=False),
        sa.Column("person", sa.String(60)),
        sa.Column("by", sa.String(110), nullable=False),
        sa.Column("address", sa.String(60), nullable=False),
        sa.Column("operation", sa.String(60), nullable=False),
        sa.Column("application", sa.String(200), nullable=False),
        sa.Column("path", sa.String(500), nullable=False),
        sa.Column("status", sa.Integer, nullable=False),
        sqlite_autoincrement=True,
    )
    for table, column in (
        ("sessions", "account_id"),
        ("tokens", "account_id"),
        ("audit", "at"),
        ("audit", "person"),
        ("audit", "application"),
    ):
        op.create_index(f"ix_{table}_{column}", table, [column])
    _keep_audit()


def _keep_audit() -> None:
    """Let the database refuse to change or delete rows of the audit log."""
    refusal = "rows of the audit log are never changed"
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE FUNCTION audit_is_kept() RETURNS trigger LANGUAGE plpgsql AS"
            f" $$ BEGIN RAISE EXCEPTION '{refusal}' USING ERRCODE = 'restrict_violation'; END $$"
        )
        op.execute(
            "CREATE TRIGGER audit_is_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON audit"
            " FOR EACH STATEMENT EXECUTE FUNCTION audit_is_kept()"
        )
    else:
        for change in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER audit_no_{change.lower()} BEFORE {change} ON audit"
                f" BEGIN SELECT RAISE(ABORT, '{refusal}'); END"
            )
