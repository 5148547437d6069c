"""The ledger knows which of the answered tokens were thoughts."""

from alembic import op

from touchstone_runtime.llm import add_thoughts, drop_thoughts

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; of what is booked already nobody knows."""
    add_thoughts(op)


def downgrade() -> None:
    """Drop it."""
    drop_thoughts(op)
