"""What asking a model took."""

import sqlalchemy as sa
from alembic import op

from touchstone_runtime.llm import ledger_table

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the table."""
    ledger_table(sa.MetaData()).create(op.get_bind())


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("llm_ledger")
