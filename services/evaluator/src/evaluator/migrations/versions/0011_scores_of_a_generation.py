"""A score of a retriever names the generation of the index that answered."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; what was scored before names none, and is scored again."""
    op.add_column("retrieval_scores", sa.Column("generation", sa.Text, nullable=False, server_default=""))


def downgrade() -> None:
    """Take it away."""
    op.drop_column("retrieval_scores", "generation")
