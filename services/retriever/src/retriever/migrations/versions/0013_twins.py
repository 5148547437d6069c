"""Digests of twins tell more: what was kept of them in pools is made anew, from the codes, by whoever reads it."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Let go of digests that were made in another way; those of codes are made anew beside searches."""
    op.execute(sa.text("UPDATE proposals SET twin = ''"))


def downgrade() -> None:
    """The same for an earlier release."""
    op.execute(sa.text("UPDATE proposals SET twin = ''"))
