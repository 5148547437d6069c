"""What replicas change in the index is noted in order, so that who holds codes in memory can follow."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "index_changes",
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("function_ids", sa.ARRAY(sa.Text), nullable=False),
        sa.Column("source_ids", sa.ARRAY(sa.Text), nullable=False),
        sa.Column("keys", sa.ARRAY(sa.Text), nullable=False),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("index_changes")
