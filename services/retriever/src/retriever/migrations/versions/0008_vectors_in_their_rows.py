"""Vectors lie in their rows: read from a table beside, each takes three more looks, and a search measures hundreds."""

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Let rows be as long as a page; those that are there stay as they are until they are written anew."""
    op.execute("ALTER TABLE code_vectors SET (toast_tuple_target = 8160)")


def downgrade() -> None:
    """As before."""
    op.execute("ALTER TABLE code_vectors RESET (toast_tuple_target)")
