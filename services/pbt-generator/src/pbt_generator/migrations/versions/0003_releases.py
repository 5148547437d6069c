"""Releases, and the tasks that each holds."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "releases",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("number", sa.BigInteger, sa.Identity(), nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("manifest_digest", sa.Text, nullable=False),
        sa.Column("tasks", sa.Integer, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
    )
    op.create_table(
        "release_tasks",
        sa.Column("release", sa.Text, sa.ForeignKey("releases.name"), primary_key=True),
        sa.Column("task_id", sa.Text, primary_key=True, index=True),
    )


def downgrade() -> None:
    """Drop the tables."""
    op.drop_table("release_tasks")
    op.drop_table("releases")
