"""Indexes for lists of what is rare, and for codes."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_RARE = {
    "labels_undecided_by_time": "label is null",
    "labels_disputed_by_time": "audit is not null and label is not null and audit <> label",
}


def upgrade() -> None:
    """Make the indexes."""
    op.create_index("labels_by_code", "labels", ["function_id"])
    for name, rare in _RARE.items():
        condition = sa.text(f"current is true and {rare}")
        op.create_index(name, "labels", [sa.text("labelled_at DESC"), "pair_id"], postgresql_where=condition)


def downgrade() -> None:
    """Drop the indexes."""
    for name in ("labels_by_code", *_RARE):
        op.drop_index(name)
