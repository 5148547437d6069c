"""Tasks know what copies of their code look like."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; of the tasks that are there nobody told, and likeness alone tells their copies."""
    op.add_column("tasks", sa.Column("shapes", sa.Text, nullable=False, server_default=""))


def downgrade() -> None:
    """Drop the column."""
    op.drop_column("tasks", "shapes")
