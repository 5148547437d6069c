"""When which version of which source was read, and what stood in it."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "readings",
        sa.Column("source_id", sa.Text, primary_key=True),
        sa.Column("source_version_id", sa.Text, primary_key=True),
        sa.Column("version_key", sa.Text, nullable=False),
        sa.Column("read_at", sa.Text(collation="C"), nullable=False),
        sa.Column("whole", sa.Boolean, nullable=False),
        sa.Column("repository", sa.Text, nullable=False),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
    )


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("readings")
