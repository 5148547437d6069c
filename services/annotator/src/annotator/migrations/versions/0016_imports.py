"""A label knows the imports of its code and of the code's file, for who judges the code for another query."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

_COLUMNS = ("imports", "file_imports")


def upgrade() -> None:
    """Add the columns; what was stored before knows no imports."""
    for name in _COLUMNS:
        op.add_column("labels", sa.Column(name, JSONB, nullable=False, server_default="[]"))


def downgrade() -> None:
    """Drop them."""
    for name in _COLUMNS:
        op.drop_column("labels", name)
