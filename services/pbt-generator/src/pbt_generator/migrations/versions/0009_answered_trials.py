"""Of a trial it is known how many solutions were answered: what was not is no failure."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; of earlier trials nobody wrote it down."""
    op.add_column("trials", sa.Column("answered", sa.Integer))


def downgrade() -> None:
    """Drop it."""
    op.drop_column("trials", "answered")
