"""People's labels are nobody's judgement on demand, and hold for every pair with their query and code."""

from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Mend what people said of pairs on demand, and let people's labels be announced once more.

    With it each pair with the same query and code gets people's label, whichever was there first.
    """
    op.execute("update labels set on_demand = false where decided_by = 'person' and on_demand")
    op.execute(
        "insert into unannounced (pair_id, method_id) select pair_id, method_id from labels "
        "where current and decided_by = 'person' on conflict do nothing"
    )


def downgrade() -> None:
    """Nothing: which pairs were asked for on demand before people decided is not kept."""
