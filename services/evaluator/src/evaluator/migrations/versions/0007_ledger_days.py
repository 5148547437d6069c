"""The ledger knows the day of every question."""

from alembic import op

from touchstone_runtime.llm import add_day

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; what is booked already has no day."""
    add_day(op)
