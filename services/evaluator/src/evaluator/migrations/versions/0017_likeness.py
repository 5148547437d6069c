"""Tasks know which others are nearly the same."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; of the tasks that are there nobody told."""
    op.add_column("tasks", sa.Column("likeness", sa.Text, nullable=False, server_default=""))


def downgrade() -> None:
    """Drop the column."""
    op.drop_column("tasks", "likeness")
