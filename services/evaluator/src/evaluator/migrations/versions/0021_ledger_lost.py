"""What came to no usable answer is told apart in the ledger."""

from alembic import op

from touchstone_runtime.llm import add_lost, drop_lost

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; what was booked before tells none."""
    add_lost(op)


def downgrade() -> None:
    """Take it away."""
    drop_lost(op)
