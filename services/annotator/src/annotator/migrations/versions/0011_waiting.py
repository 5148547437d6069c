"""Proposed pairs wait for their turn, and what judging them took is kept by period."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "waiting",
        sa.Column("pair_id", sa.Text, primary_key=True),
        sa.Column("query_id", sa.Text, nullable=False),
        sa.Column("pair", JSONB, nullable=False),
        sa.Column("worth", sa.Double, nullable=False),
        sa.Column("judged", sa.Integer, nullable=False),
        sa.Column("priority", sa.Double, nullable=False),
        sa.Column("begun", sa.Boolean, nullable=False),
        sa.Column("tries", sa.SmallInteger, nullable=False),
        sa.Column("taken_until", sa.DateTime(timezone=True)),
        sa.Column("aside", sa.Text, nullable=False),
    )
    order = [sa.text("begun DESC"), sa.text("priority DESC"), "pair_id"]
    op.create_index("waiting_in_order", "waiting", order, postgresql_where=sa.text("aside = ''"))
    op.create_index("waiting_by_query", "waiting", ["query_id"])
    op.create_table(
        "pool_spending",
        sa.Column("period", sa.Text, primary_key=True),
        sa.Column("pairs", sa.BigInteger, nullable=False),
        sa.Column("tokens", sa.BigInteger, nullable=False),
        sa.Column("cost_usd", sa.Double, nullable=False),
    )


def downgrade() -> None:
    """Drop them; pairs that wait are proposed no more."""
    op.drop_table("pool_spending")
    op.drop_table("waiting")
