"""An answer to a task in neutral dress defines another name than the task's."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; answers that are there define their tasks' own names."""
    op.add_column("attempts", sa.Column("entry_point", sa.Text))
