"""Which source versions had their own tests run, and where the record of their calls is."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "traces",
        sa.Column("version_id", sa.Text, primary_key=True),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("cpu_s", sa.Float, nullable=False),
        sa.Column("problem", sa.Text, nullable=False),
    )


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("traces")
