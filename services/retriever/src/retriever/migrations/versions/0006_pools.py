"""Candidates of a query are a pool with versions."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the columns and the table; pairs of before are the first version, and published."""
    op.add_column("queries", sa.Column("looked_at", sa.DateTime(timezone=True)))
    op.add_column("queries", sa.Column("looked_index", sa.Text, nullable=False, server_default=""))
    op.add_column("proposals", sa.Column("version", sa.Integer, nullable=False, server_default="1"))
    op.add_column("proposals", sa.Column("twin", sa.Text, nullable=False, server_default=""))
    op.add_column("proposals", sa.Column("published", sa.Boolean, nullable=False, server_default=sa.true()))
    # Of two versions each has a pair of rank 1.
    op.drop_constraint("proposals_pkey", "proposals")
    op.create_primary_key("proposals_pkey", "proposals", ["query_id", "pair_id"])
    op.create_table(
        "pool_versions",
        sa.Column("query_id", sa.Text, sa.ForeignKey("queries.query_id", ondelete="CASCADE"), primary_key=True),
        sa.Column("version", sa.Integer, primary_key=True),
        sa.Column("entered", sa.Integer, nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("index_state", sa.Text, nullable=False),
        sa.Column("asked", sa.Integer, nullable=False),
        sa.Column("shared", JSONB, nullable=False),
    )


def downgrade() -> None:
    """Keep the first version of each pool alone."""
    op.drop_table("pool_versions")
    op.execute("DELETE FROM proposals WHERE version > 1")
    op.drop_constraint("proposals_pkey", "proposals")
    op.create_primary_key("proposals_pkey", "proposals", ["query_id", "rank"])
    for table, column in (
        ("proposals", "published"),
        ("proposals", "twin"),
        ("proposals", "version"),
        ("queries", "looked_index"),
        ("queries", "looked_at"),
    ):
        op.drop_column(table, column)
