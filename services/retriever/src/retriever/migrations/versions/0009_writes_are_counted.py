"""Writers of the index count their transactions, so that what a replica keeps in memory is seen to be old."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table with its one row."""
    op.create_table("index_writes", sa.Column("writes", sa.BigInteger, nullable=False))
    op.execute("INSERT INTO index_writes (writes) VALUES (0)")


def downgrade() -> None:
    """Drop it."""
    op.drop_table("index_writes")
