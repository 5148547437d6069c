"""Runs have specifications, tasks more than one answer, and boards are computed from what changed."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; runs that are there keep an empty specification."""
    op.add_column("tasks", sa.Column("complexity", sa.Integer, nullable=False, server_default="0"))
    op.add_column("tasks", sa.Column("form", sa.Text, nullable=False, server_default=""))
    op.add_column("runs", sa.Column("spec", JSONB, nullable=False, server_default="{}"))
    op.add_column("runs", sa.Column("withdrawn", sa.Text, nullable=False, server_default=""))
    op.add_column("runs", sa.Column("revision", sa.BigInteger, nullable=False, server_default="0"))
    op.create_table(
        "task_sets",
        sa.Column("digest", sa.Text, primary_key=True),
        sa.Column("task_ids", JSONB, nullable=False),
    )
    op.add_column("attempts", sa.Column("sample", sa.Integer, nullable=False, server_default="0"))
    op.drop_constraint("attempts_pkey", "attempts", type_="primary")
    op.create_primary_key("attempts_pkey", "attempts", ["run_id", "task_id", "sample"])
    op.create_index("attempts_by_task", "attempts", ["task_id"])
