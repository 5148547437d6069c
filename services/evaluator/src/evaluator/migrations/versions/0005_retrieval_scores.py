"""Retrievers are scored on labels, and labels that are announced are counted."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables of scores and of the count."""
    op.create_table(
        "retrieval_scores",
        sa.Column("labels", sa.Text, primary_key=True),
        sa.Column("retriever", sa.Text, primary_key=True),
        sa.Column("scored_at", sa.DateTime(timezone=True), primary_key=True),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("queries", sa.BigInteger, nullable=False),
        sa.Column("answerable", sa.BigInteger, nullable=False),
        sa.Column("measures", JSONB, nullable=False),
        sa.Column("unjudged_at_10", sa.BigInteger, nullable=False),
        sa.Column("indexed", sa.BigInteger, nullable=False),
        sa.Column("seen", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "announced_labels",
        sa.Column("id", sa.SmallInteger, primary_key=True),
        sa.Column("seen", sa.BigInteger, nullable=False),
    )
