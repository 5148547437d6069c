"""Which functions others were told of, and under which rules the newest version of a source was taken in."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the columns: of functions before, and of those that an older release writes, others were told."""
    op.add_column("functions", sa.Column("told", sa.Boolean, nullable=False, server_default=sa.true()))
    op.add_column("sources", sa.Column("rules", sa.Text, nullable=False, server_default=""))


def downgrade() -> None:
    """Drop both."""
    op.drop_column("sources", "rules")
    op.drop_column("functions", "told")
