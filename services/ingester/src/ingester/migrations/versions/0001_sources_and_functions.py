"""Sources, functions, and the keys that tell duplicates."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "sources",
        sa.Column("source_id", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("revision", sa.Text, nullable=False),
        sa.Column("window_days", sa.Integer, nullable=False),
        sa.Column("latest_version", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("detail", sa.Text, nullable=False),
        sa.Column("released_at", sa.DateTime(timezone=True)),
        sa.Column("licence", sa.Text, nullable=False),
        sa.Column("functions", sa.Integer, nullable=False),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("next_attempt_at", sa.DateTime(timezone=True)),
        sa.Column("followed", sa.Boolean, nullable=False, server_default=sa.true()),
    )
    op.create_table(
        "functions",
        sa.Column("function_id", sa.Text, primary_key=True),
        sa.Column("source_id", sa.Text, nullable=False, index=True),
        sa.Column("version_id", sa.Text, nullable=False),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("qualname", sa.Text, nullable=False),
        sa.Column("form", sa.Text, nullable=False),
        sa.Column("classification", sa.Text, nullable=False),
        sa.Column("rejected_by", sa.Text, nullable=False),
        sa.Column("rejection", sa.Text, nullable=False),
    )
    op.create_index("functions_by_rejection", "functions", ["rejected_by", "classification"])
    op.create_table(
        "duplicate_keys",
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("function_id", sa.Text, nullable=False),
    )
    op.create_table(
        "sketches",
        sa.Column("function_id", sa.Text, primary_key=True),
        sa.Column("signature", postgresql.ARRAY(sa.BigInteger), nullable=False),
    )
    op.create_table(
        "bands",
        sa.Column("band", sa.Text, primary_key=True),
        sa.Column("function_id", sa.Text, primary_key=True),
    )


def downgrade() -> None:
    """Drop the tables."""
    for table in ("bands", "sketches", "duplicate_keys", "functions", "sources"):
        op.drop_table(table)
