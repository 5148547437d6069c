"""Licence, version and look-alikes of each code, for exact questions."""

import hashlib
import json

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_COLUMNS = ("licence_key", "version", "twin")
_ROWS = 500


def upgrade() -> None:
    """Make the columns, and fill them from the records."""
    for name in _COLUMNS:
        op.add_column("codes", sa.Column(name, sa.Text, nullable=False, server_default=""))
    codes = sa.table("codes", *(sa.column(name, sa.Text) for name in ("function_id", "record", *_COLUMNS)))
    connection, after = op.get_bind(), ""
    # Read here rather than in SQL: PostgreSQL takes no text with a null character out of JSON.
    while rows := connection.execute(
        sa.select(codes.c.function_id, codes.c.record)
        .where(codes.c.function_id > after)
        .order_by(codes.c.function_id)
        .limit(_ROWS)
    ).all():
        for function_id, record in rows:
            function = json.loads(record)
            twin = " ".join(function["code"].split()).encode("utf-8", "surrogatepass")
            connection.execute(
                sa.update(codes)
                .where(codes.c.function_id == function_id)
                .values(
                    licence_key=str(function["source"].get("licence") or "").strip().lower(),
                    version=function["source"]["version"],
                    twin=hashlib.sha256(twin).hexdigest()[:32],
                )
            )
        after = rows[-1][0]


def downgrade() -> None:
    """Drop the columns."""
    for name in _COLUMNS:
        op.drop_column("codes", name)
