"""How many candidates for tasks the newest version of a source has."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the column; of what was taken in before nobody counted them."""
    op.add_column("sources", sa.Column("candidates", sa.Integer))


def downgrade() -> None:
    """Drop the column."""
    op.drop_column("sources", "candidates")
