"""Labels, and the accounts of the model."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "labels",
        sa.Column("pair_id", sa.Text, primary_key=True),
        sa.Column("method_id", sa.Text, primary_key=True),
        sa.Column("query_id", sa.Text, nullable=False),
        sa.Column("query", sa.Text, nullable=False),
        sa.Column("function_id", sa.Text, nullable=False),
        sa.Column("code", sa.Text, nullable=False),
        sa.Column("language", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("repository", sa.Text, nullable=False),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("qualname", sa.Text, nullable=False),
        sa.Column("on_demand", sa.Boolean, nullable=False),
        sa.Column("label", sa.SmallInteger, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("decided_by", sa.Text, nullable=False),
        sa.Column("unclear", sa.Boolean, nullable=False),
        sa.Column("self_reported", sa.Boolean, nullable=False),
        sa.Column("executed", sa.Boolean, nullable=True),
        sa.Column("assertions", sa.Integer, nullable=False),
        sa.Column("audit", sa.SmallInteger, nullable=True),
        sa.Column("record_digest", sa.Text, nullable=False),
        sa.Column("steps", JSONB, nullable=False),
        sa.Column("tokens_in", sa.BigInteger, nullable=False),
        sa.Column("tokens_out", sa.BigInteger, nullable=False),
        sa.Column("seconds", sa.Float, nullable=False),
        sa.Column("cost_usd", sa.Float, nullable=False),
        sa.Column("calls", sa.Integer, nullable=False),
        sa.Column("labelled_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
        sa.CheckConstraint("label in (0, 1)", name="label_is_binary"),
    )
    op.create_index("labels_by_time", "labels", [sa.text("labelled_at DESC")])
    op.create_index("labels_by_query", "labels", ["query_id"])
    op.create_table(
        "llm_ledger",
        sa.Column("request_key", sa.String(64), primary_key=True),
        sa.Column("purpose", sa.String(64), primary_key=True),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("calls", sa.BigInteger, nullable=False),
        sa.Column("cached_hits", sa.BigInteger, nullable=False),
        sa.Column("tokens_in", sa.BigInteger, nullable=False),
        sa.Column("tokens_out", sa.BigInteger, nullable=False),
        sa.Column("seconds", sa.Float, nullable=False),
        sa.Column("cost_usd", sa.Float, nullable=False),
    )


def downgrade() -> None:
    """Drop the tables."""
    op.drop_table("llm_ledger")
    op.drop_table("labels")
