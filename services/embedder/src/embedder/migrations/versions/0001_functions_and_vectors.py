"""Functions seen, what they want inlined, and vectors computed."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "functions",
        sa.Column("function_id", sa.Text, primary_key=True),
        sa.Column("source_version_id", sa.Text, nullable=False),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("qualname", sa.Text, nullable=False),
        sa.Column("record", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False, server_default=""),
    )
    op.create_index("functions_by_place", "functions", ["source_version_id", "path", "qualname"])
    op.create_table(
        "wanted",
        sa.Column("function_id", sa.Text, sa.ForeignKey("functions.function_id", ondelete="CASCADE"), primary_key=True),
        sa.Column("source_version_id", sa.Text, nullable=False),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("qualname", sa.Text, primary_key=True),
    )
    op.create_index("wanted_by_place", "wanted", ["source_version_id", "path", "qualname"])
    op.create_table(
        "vectors",
        sa.Column("identity", sa.Text, primary_key=True),
        sa.Column("digest", sa.Text, primary_key=True),
        sa.Column("data", sa.LargeBinary, nullable=False),
    )


def downgrade() -> None:
    """Drop the tables."""
    op.drop_table("vectors")
    op.drop_table("wanted")
    op.drop_table("functions")
