"""Tasks, runs, attempts, and the accounts of the models."""

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
        "tasks",
        sa.Column("task_id", sa.Text, primary_key=True),
        *(
            sa.Column(name, sa.Text, nullable=False)
            for name in ("function_id", "kind", "difficulty", "entry_point", "instruction")
        ),
        sa.Column("signatures", JSONB, nullable=False),
        sa.Column("prelude", sa.Text, nullable=False),
        sa.Column("suite_digest", sa.Text, nullable=False),
        sa.Column("cases", sa.Integer, nullable=False),
        *(
            sa.Column(name, sa.Text, nullable=False)
            for name in ("source", "version", "path", "qualname", "licence", "released_at")
        ),
    )
    op.create_table(
        "retractions",
        sa.Column("task_id", sa.Text, primary_key=True),
        sa.Column("reason", sa.Text, nullable=False),
    )
    op.create_table(
        "runs",
        sa.Column("run_id", sa.Text, primary_key=True),
        *(
            sa.Column(name, sa.Text, nullable=False)
            for name in ("model", "endpoint", "strategy", "variant", "language", "prompts", "halted")
        ),
    )
    op.create_table(
        "attempts",
        sa.Column("run_id", sa.Text, sa.ForeignKey("runs.run_id"), primary_key=True),
        sa.Column("task_id", sa.Text, sa.ForeignKey("tasks.task_id"), primary_key=True),
        sa.Column("requested", sa.Boolean, nullable=False),
        *(sa.Column(name, sa.Text) for name in ("solution_id", "code", "early_outcome", "early_detail")),
        sa.Column("steps", JSONB),
        sa.Column("tokens_in", sa.BigInteger),
        sa.Column("tokens_out", sa.BigInteger),
        sa.Column("seconds", sa.Float),
        sa.Column("cost_usd", sa.Float),
        sa.Column("calls", sa.Integer),
        sa.Column("outcome", sa.Text),
        sa.Column("cases", sa.Integer),
        sa.Column("passed", sa.Integer),
        sa.Column("detail", sa.Text),
        sa.Column("failures", JSONB),
        sa.Column("wall_s", sa.Float),
        sa.Column("cpu_s", sa.Float),
        sa.Column("memory_bytes", sa.BigInteger),
    )
    op.create_index("attempts_unrequested", "attempts", ["run_id"], postgresql_where=sa.text("NOT requested"))
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
