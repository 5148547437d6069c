"""Every verdict is kept, and the newest counts."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_KEY = ("run_id", "task_id", "solution_id")
_VERDICT = ("outcome", "cases", "passed", "detail", "failures", "wall_s", "cpu_s", "memory_bytes")


def upgrade() -> None:
    """Verdicts that are there are the first ones."""
    op.add_column("attempts", sa.Column("judging", sa.Integer, nullable=False, server_default="0"))
    op.add_column("attempts", sa.Column("judging_note", sa.Text, nullable=False, server_default=""))
    op.create_table(
        "verdicts",
        *(sa.Column(name, sa.Text, primary_key=True) for name in _KEY),
        sa.Column("judging", sa.Integer, primary_key=True),
        sa.Column("judging_note", sa.Text, nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.Column("cases", sa.Integer, nullable=False),
        sa.Column("passed", sa.Integer, nullable=False),
        sa.Column("detail", sa.Text, nullable=False),
        sa.Column("failures", JSONB, nullable=False),
        sa.Column("wall_s", sa.Float, nullable=False),
        sa.Column("cpu_s", sa.Float, nullable=False),
        sa.Column("memory_bytes", sa.BigInteger, nullable=False),
    )
    columns = ", ".join((*_KEY, *_VERDICT))
    op.execute(
        f"INSERT INTO verdicts ({columns}, judging, judging_note) "
        f"SELECT {columns}, 0, '' FROM attempts WHERE outcome IS NOT NULL ON CONFLICT DO NOTHING"
    )
