"""The embedder's tables."""

from __future__ import annotations

import sqlalchemy as sa

metadata = sa.MetaData()

functions = sa.Table(
    "functions",
    metadata,
    sa.Column("function_id", sa.Text, primary_key=True),
    sa.Column("source_version_id", sa.Text, nullable=False),
    sa.Column("path", sa.Text, nullable=False),
    sa.Column("qualname", sa.Text, nullable=False),
    sa.Column("record", sa.Text, nullable=False),
    # Key of the models and digest of the text that it was last embedded with; empty before that.
    sa.Column("state", sa.Text, nullable=False, server_default=""),
    sa.Index("functions_by_place", "source_version_id", "path", "qualname"),
)

wanted = sa.Table(
    "wanted",
    metadata,
    sa.Column("function_id", sa.Text, sa.ForeignKey("functions.function_id", ondelete="CASCADE"), primary_key=True),
    sa.Column("source_version_id", sa.Text, nullable=False),
    sa.Column("path", sa.Text, nullable=False),
    sa.Column("qualname", sa.Text, primary_key=True),
    sa.Index("wanted_by_place", "source_version_id", "path", "qualname"),
)

vectors = sa.Table(
    "vectors",
    metadata,
    sa.Column("identity", sa.Text, primary_key=True),
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("data", sa.LargeBinary, nullable=False),
)
