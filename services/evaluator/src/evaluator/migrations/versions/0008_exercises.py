"""Answers to exercises know the suite that judges them, and what the ground truth took beside them."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; answers that are there have neither."""
    op.add_column("attempts", sa.Column("suite_digest", sa.Text))
    op.add_column("attempts", sa.Column("reference_cpu_s", sa.Float))
