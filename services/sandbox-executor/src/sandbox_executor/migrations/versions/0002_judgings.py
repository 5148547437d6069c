"""Solutions can be judged again; every verdict is kept."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Verdicts that are there are the first ones."""
    op.add_column("verdicts", sa.Column("judging", sa.Integer, nullable=False, server_default="0"))
    op.drop_constraint("verdicts_pkey", "verdicts", type_="primary")
    op.create_primary_key("verdicts_pkey", "verdicts", ["solution_id", "suite_digest", "judging"])
