"""Questions that are asked in batches are kept until they are answered, and so is which answers wait for them."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables."""
    op.create_table(
        "llm_batches",
        sa.Column("batch_id", sa.Text, primary_key=True),
        sa.Column("endpoint", sa.Text, nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("file_id", sa.Text, nullable=False),
        sa.Column("remote_id", sa.Text, nullable=False),
        sa.Column("without", sa.Text, nullable=False),
        sa.Column("total", sa.BigInteger, nullable=False),
        sa.Column("answered", sa.BigInteger, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("cancelled", sa.Boolean, nullable=False),
    )
    op.create_table(
        "llm_batch_questions",
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("endpoint", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("purpose", sa.Text, nullable=False),
        sa.Column("request", sa.Text, nullable=False),
        sa.Column("tokens_in", sa.BigInteger, nullable=False),
        sa.Column("tokens_out", sa.BigInteger, nullable=False),
        sa.Column("cost_usd", sa.Float, nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("batch_id", sa.Text, nullable=False, index=True),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("status", sa.Integer, nullable=False),
        sa.Column("said", sa.Text, nullable=False),
        sa.Column("unwanted", sa.Boolean, nullable=False),
    )
    op.create_table(
        "parked_answers",
        sa.Column("run_id", sa.Text, primary_key=True),
        sa.Column("task_id", sa.Text, primary_key=True),
        sa.Column("sample", sa.Integer, primary_key=True),
        sa.Column("key", sa.Text, nullable=False),
    )


def downgrade() -> None:
    """Take them away."""
    for table in ("parked_answers", "llm_batch_questions", "llm_batches"):
        op.drop_table(table)
