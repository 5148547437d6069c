"""A code knows how its words were made, so that those of another form are made anew beside searches."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; of codes that are there nobody noted it."""
    op.add_column("codes", sa.Column("words_form", sa.Text, nullable=False, server_default=""))


def downgrade() -> None:
    """Drop it."""
    op.drop_column("codes", "words_form")
