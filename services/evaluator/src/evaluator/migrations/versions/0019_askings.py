"""How often somebody asked for a run again: every replica then waits for its endpoint anew."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the count; what was before it says nothing."""
    op.add_column("runs", sa.Column("askings", sa.BigInteger, nullable=False, server_default="0"))


def downgrade() -> None:
    """Drop it."""
    op.drop_column("runs", "askings")
