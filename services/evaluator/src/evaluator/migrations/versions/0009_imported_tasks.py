"""Tasks know whether they were imported from somebody else's set."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; tasks that are there are our own."""
    op.add_column("tasks", sa.Column("imported", sa.Text, nullable=False, server_default=""))
