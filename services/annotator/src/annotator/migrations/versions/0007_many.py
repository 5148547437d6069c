"""Lists by decider and by language begin where their labels are, however few these are among many."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_LISTS = {"labels_current_by_decider": "decided_by", "labels_current_by_language": "language"}


def upgrade() -> None:
    """Make the indexes."""
    for name, column in _LISTS.items():
        columns = [column, sa.text("labelled_at DESC"), "pair_id"]
        op.create_index(name, "labels", columns, postgresql_where=sa.text("current is true"))


def downgrade() -> None:
    """Drop the indexes."""
    for name in _LISTS:
        op.drop_index(name)
