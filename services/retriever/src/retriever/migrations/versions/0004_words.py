"""The words of each code, for the text part of the ranking; the service fills them in for codes of before."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TSVECTOR

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the columns and their index."""
    op.add_column("codes", sa.Column("words", TSVECTOR, nullable=False, server_default=""))
    op.add_column("codes", sa.Column("length", sa.Integer, nullable=False, server_default="0"))
    op.create_index("codes_by_words", "codes", ["words"], postgresql_using="gin")


def downgrade() -> None:
    """Drop the columns."""
    op.drop_index("codes_by_words", "codes")
    op.drop_column("codes", "length")
    op.drop_column("codes", "words")
