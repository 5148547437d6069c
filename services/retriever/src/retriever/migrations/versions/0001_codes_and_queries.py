"""Codes with their vectors, queries with their proposals, and the ledger of the language model."""

import sqlalchemy as sa
from alembic import op
from pgvector.sqlalchemy import Vector
from touchstone_runtime.llm import ledger_table

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "codes",
        sa.Column("function_id", sa.Text, primary_key=True),
        sa.Column("source_id", sa.Text, nullable=False),
        sa.Column("source_version_id", sa.Text, nullable=False),
        sa.Column("version_key", sa.Text(collation="C"), nullable=False),
        sa.Column("repository_key", sa.Text, nullable=False),
        sa.Column("language", sa.Text, nullable=False),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("qualname", sa.Text, nullable=False),
        sa.Column("form", sa.Text, nullable=False),
        sa.Column("searchable_pair", sa.Boolean, nullable=False),
        sa.Column("superseded", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("record", sa.Text, nullable=False),
    )
    op.create_index("codes_by_lineage", "codes", ["source_id", "path", "qualname"])
    op.create_index("codes_by_repository", "codes", ["repository_key"])
    op.create_table(
        "code_vectors",
        sa.Column("function_id", sa.Text, sa.ForeignKey("codes.function_id", ondelete="CASCADE"), primary_key=True),
        sa.Column("model", sa.Text, primary_key=True),
        sa.Column("dimensions", sa.Integer, nullable=False),
        sa.Column("embedding", Vector(), nullable=False),
    )
    op.create_index("code_vectors_by_model", "code_vectors", ["model", "dimensions"])
    # Vectors of 500 numbers are just long enough to be moved out of their row, which makes every scan fetch them back.
    op.execute("ALTER TABLE code_vectors ALTER COLUMN embedding SET STORAGE MAIN")
    op.create_table(
        "queries",
        sa.Column("query_id", sa.Text, primary_key=True),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("origin", sa.Text, nullable=False),
        sa.Column("candidates", sa.Integer, nullable=False),
    )
    op.create_table(
        "proposals",
        sa.Column("query_id", sa.Text, sa.ForeignKey("queries.query_id", ondelete="CASCADE"), primary_key=True),
        sa.Column("rank", sa.Integer, primary_key=True),
        sa.Column("pair_id", sa.Text, nullable=False),
        sa.Column("function_id", sa.Text, nullable=False),
        sa.Column("score", sa.Double, nullable=False),
        sa.Column("record", sa.Text, nullable=False),
    )
    ledger_table(sa.MetaData()).create(op.get_bind())


def downgrade() -> None:
    """Drop the tables."""
    for table in ("llm_ledger", "proposals", "queries", "code_vectors", "codes"):
        op.drop_table(table)
