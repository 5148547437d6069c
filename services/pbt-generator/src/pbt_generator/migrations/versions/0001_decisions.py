"""One row for each function that was decided about."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "decisions",
        sa.Column("function_id", sa.Text, primary_key=True),
        sa.Column("builder", sa.Text, primary_key=True),
        sa.Column("number", sa.BigInteger, sa.Identity(), nullable=False),
        sa.Column("task_id", sa.Text, index=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("task", postgresql.JSONB),
        sa.Column("refusal", sa.Text),
        sa.Column("detail", sa.Text, nullable=False),
        sa.Column("cpu_s", sa.Float, nullable=False),
        sa.Column("function", postgresql.JSONB, nullable=False),
        sa.Column("retracted", sa.Text),
    )


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("decisions")
