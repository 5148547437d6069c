"""What was stored and not announced is kept, so that it is announced when the broker is back."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table; what people decided before is announced once more.

    Which of it no broker ever had is not known, and saying it twice is harmless. What methods said before is announced
    again when its pair is proposed again.
    """
    op.create_table(
        "unannounced",
        sa.Column("pair_id", sa.Text, primary_key=True),
        sa.Column("method_id", sa.Text, primary_key=True),
    )
    op.execute(
        "insert into unannounced (pair_id, method_id) select pair_id, method_id from labels "
        "where current and decided_by = 'person' and not on_demand"
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("unannounced")
