"""Which newer code goes by a name that an earlier version of it holds, and when a source was looked at last."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the table, and the column: of passes before nobody noted when they began."""
    op.create_table(
        "successors",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("function_id", sa.Text, primary_key=True, index=True),
    )
    op.add_column("sources", sa.Column("looked_at", sa.DateTime(timezone=True)))


def downgrade() -> None:
    """Drop both."""
    op.drop_column("sources", "looked_at")
    op.drop_table("successors")
