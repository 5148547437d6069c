"""The executor's own tables."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

METADATA = sa.MetaData()
VERDICTS = sa.Table(
    "verdicts",
    METADATA,
    sa.Column("solution_id", sa.Text, primary_key=True),
    sa.Column("suite_digest", sa.Text, primary_key=True),
    sa.Column("judging", sa.Integer, primary_key=True),
    sa.Column("outcome", sa.Text, nullable=False),
    sa.Column("cases", sa.Integer, nullable=False),
    sa.Column("passed", sa.Integer, nullable=False),
    sa.Column("failures", JSONB, nullable=False),
    sa.Column("wall_s", sa.Float, nullable=False),
    sa.Column("cpu_s", sa.Float, nullable=False),
    sa.Column("memory_bytes", sa.BigInteger, nullable=False),
)
