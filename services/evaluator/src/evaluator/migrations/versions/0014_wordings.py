"""Tasks know whether their words suffice."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; a person wrote the words of an imported task, of the others nobody told yet."""
    op.add_column("tasks", sa.Column("wording", sa.Text, nullable=False, server_default=""))
    op.execute("UPDATE tasks SET wording = 'described' WHERE imported <> ''")


def downgrade() -> None:
    """Drop the column."""
    op.drop_column("tasks", "wording")
