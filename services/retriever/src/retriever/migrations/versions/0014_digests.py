"""Each code has a digest, whose sum tells one content of the index from another."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; codes that are there get theirs beside searches."""
    op.add_column("codes", sa.Column("digest", sa.BigInteger, nullable=False, server_default="0"))


def downgrade() -> None:
    """Take it away."""
    op.drop_column("codes", "digest")
