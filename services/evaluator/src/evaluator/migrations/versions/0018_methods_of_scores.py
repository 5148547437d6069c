"""A score of a retriever has its measures twice, and names the method that it was made by."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; what was scored before is of the first method, and is scored again."""
    op.add_column("retrieval_scores", sa.Column("condensed", JSONB, nullable=False, server_default="{}"))
    op.add_column("retrieval_scores", sa.Column("method", sa.Integer, nullable=False, server_default="1"))


def downgrade() -> None:
    """Keep what earlier ones can read: nothing of a later method, whose measures would be taken for others."""
    op.execute("DELETE FROM retrieval_scores WHERE method > 1")
    op.drop_column("retrieval_scores", "method")
    op.drop_column("retrieval_scores", "condensed")
