"""A score of a retriever names what was indexed."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; what was scored before names nothing, and is scored again."""
    op.add_column("retrieval_scores", sa.Column("index_digest", sa.Text, nullable=False, server_default=""))


def downgrade() -> None:
    """Take it away."""
    op.drop_column("retrieval_scores", "index_digest")
