"""Runs can be paused."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; runs that are there go on."""
    op.add_column("runs", sa.Column("paused", sa.Boolean, nullable=False, server_default=sa.false()))
