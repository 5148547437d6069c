"""What becomes of runs is kept as numbered changes; what was done to those that are there is told like what comes."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nobody knows what was done first: a run is taken to be withdrawn, then cancelled, then paused."""
    op.create_table(
        "run_changes",
        sa.Column("run_id", sa.Text, primary_key=True),
        sa.Column("number", sa.BigInteger, primary_key=True),
        sa.Column("change", sa.Text, primary_key=True),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("answers", JSONB, nullable=False),
        sa.Column("published", sa.Boolean, nullable=False),
    )
    # Pods of the release before go on reading while all answers are looked through.
    op.execute("LOCK TABLE runs, attempts IN SHARE ROW EXCLUSIVE MODE")
    noted = "INSERT INTO run_changes (run_id, number, change, reason, answers, published) "
    op.execute(noted + "SELECT run_id, 1, 'deleted', '', '[]', false FROM forgotten_runs")
    op.execute(noted + "SELECT run_id, 1, 'withdrawn', withdrawn, '[]', false FROM runs WHERE withdrawn <> ''")
    # As many answers as one message takes.
    portion = "(row_number() OVER (PARTITION BY run_id ORDER BY task_id, sample) - 1) / 2000 AS portion"
    op.execute(
        noted + "SELECT run_id, 2 + portion, 'cancelled', '', "
        "jsonb_agg(jsonb_build_array(task_id, sample, early_outcome IS NULL) ORDER BY task_id, sample), false "
        f"FROM (SELECT run_id, task_id, sample, early_outcome, {portion} FROM attempts "
        "WHERE outcome = 'infrastructure' AND detail = 'cancelled') AS ended GROUP BY run_id, portion"
    )
    op.execute(
        noted + "SELECT runs.run_id, (SELECT greatest(coalesce(max(number), 0), 2) FROM run_changes "
        "WHERE run_changes.run_id = runs.run_id) + 1 + coalesce(waiting.portion, 0), 'paused', '', "
        "coalesce(waiting.answers, '[]'), false FROM runs LEFT JOIN (SELECT run_id, portion, "
        "jsonb_agg(jsonb_build_array(task_id, sample, false) ORDER BY task_id, sample) AS answers "
        f"FROM (SELECT run_id, task_id, sample, {portion} FROM attempts WHERE NOT requested AND solution_id IS NULL) "
        "AS held GROUP BY run_id, portion) AS waiting ON waiting.run_id = runs.run_id WHERE runs.paused"
    )
    op.add_column("runs", sa.Column("changed", sa.BigInteger, nullable=False, server_default="0"))
    op.add_column("attempts", sa.Column("asked_at", sa.BigInteger, nullable=False, server_default="-1"))
    op.alter_column("forgotten_runs", "revision", server_default="0")
    op.execute(
        "UPDATE runs SET changed = (SELECT coalesce(max(number), 0) FROM run_changes WHERE run_id = runs.run_id)"
    )


def downgrade() -> None:
    """Drop them."""
    op.drop_table("run_changes")
    op.alter_column("forgotten_runs", "revision", server_default=None)
    op.drop_column("attempts", "asked_at")
    op.drop_column("runs", "changed")
