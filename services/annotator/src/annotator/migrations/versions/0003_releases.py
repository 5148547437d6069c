"""Licences of codes, and releases."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table, and widen the one of labels; what was labelled before has no stated licence."""
    op.add_column("labels", sa.Column("licence", sa.Text, nullable=False, server_default=""))
    op.create_table(
        "releases",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("number", sa.BigInteger, sa.Identity(), nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("manifest_digest", sa.Text, nullable=False),
        sa.Column("queries", sa.BigInteger, nullable=False),
        sa.Column("codes", sa.BigInteger, nullable=False),
        sa.Column("pairs", sa.BigInteger, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
    )


def downgrade() -> None:
    """Drop the table, and what is not known of labels without it."""
    op.drop_table("releases")
    op.drop_column("labels", "licence")
