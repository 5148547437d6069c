"""Generations of the index, the first of which is what is indexed already; and how far a build of it is."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables; the service takes over what lies under models' names, at either store."""
    op.create_table(
        "generations",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("number", sa.Integer, sa.Identity(), nullable=False),
        sa.Column("spaces", sa.JSON, nullable=False),
        sa.Column("text_form", sa.Text, nullable=False),
        sa.Column("weights", sa.JSON, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("active", sa.Boolean, nullable=False),
        sa.Column("pinned", sa.Boolean, nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
    )
    # One answers at most.
    op.create_index("generations_answering", "generations", ["active"], unique=True, postgresql_where=sa.text("active"))
    op.create_table(
        "index_build",
        sa.Column("stream", sa.Text, primary_key=True),
        sa.Column("partition", sa.Integer, primary_key=True),
        sa.Column("position", sa.BigInteger, nullable=False),
        sa.Column("taken", sa.BigInteger, nullable=False),
        sa.Column("waiting", sa.BigInteger, nullable=False),
    )


def downgrade() -> None:
    """Drop the tables."""
    op.drop_table("index_build")
    op.drop_table("generations")
