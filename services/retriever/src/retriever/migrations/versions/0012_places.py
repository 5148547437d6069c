"""A candidate knows the place that each retriever alone gave it."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; of pairs that entered before nobody knows."""
    op.add_column("proposals", sa.Column("places", JSONB, nullable=False, server_default="{}"))


def downgrade() -> None:
    """Drop it."""
    op.drop_column("proposals", "places")
