"""Runs can be removed; what is still on its way for them is passed over."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table of removed runs."""
    op.create_table(
        "forgotten_runs",
        sa.Column("run_id", sa.Text, primary_key=True),
        sa.Column("revision", sa.BigInteger, nullable=False),
    )
