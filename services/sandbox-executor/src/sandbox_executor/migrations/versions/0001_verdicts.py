"""Verdicts."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "verdicts",
        sa.Column("solution_id", sa.Text, primary_key=True),
        sa.Column("suite_digest", sa.Text, primary_key=True),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.Column("cases", sa.Integer, nullable=False),
        sa.Column("passed", sa.Integer, nullable=False),
        sa.Column("failures", JSONB, nullable=False),
        sa.Column("wall_s", sa.Float, nullable=False),
        sa.Column("cpu_s", sa.Float, nullable=False),
        sa.Column("memory_bytes", sa.BigInteger, nullable=False),
    )
