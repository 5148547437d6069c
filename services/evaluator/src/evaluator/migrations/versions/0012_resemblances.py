"""Which mutants wrong answers resemble."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "resemblances",
        sa.Column("run_id", sa.Text, primary_key=True),
        sa.Column("task_id", sa.Text, primary_key=True),
        sa.Column("sample", sa.Integer, primary_key=True),
        sa.Column("solution_id", sa.Text, primary_key=True),
        sa.Column("judging", sa.Integer, primary_key=True),
        sa.Column("found", JSONB, nullable=False),
    )


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("resemblances")
