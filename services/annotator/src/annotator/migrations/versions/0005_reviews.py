"""People's opinions, and decisions between them."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables, and the index of the queue."""
    for table, moment in (("reviews", "reviewed_at"), ("adjudications", "adjudicated_at")):
        op.create_table(
            table,
            sa.Column("pair_id", sa.Text, primary_key=True),
            sa.Column("reviewer", sa.Text, nullable=False, primary_key=table == "reviews"),
            sa.Column("opinion", sa.Text, nullable=False),
            sa.Column("note", sa.Text, nullable=False),
            sa.Column(moment, sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
        )
    condition = sa.text("current is true and score is not null")
    doubt = sa.text("abs(score - 0.5::double precision)")
    op.create_index("labels_by_doubt", "labels", [doubt, "pair_id"], postgresql_where=condition)


def downgrade() -> None:
    """Drop them."""
    op.drop_index("labels_by_doubt")
    op.drop_table("adjudications")
    op.drop_table("reviews")
