"""The tables of this service's schema."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from touchstone_runtime.llm import ledger_table

METADATA = sa.MetaData()

LEDGER = ledger_table(METADATA)

LABELS = sa.Table(
    "labels",
    METADATA,
    sa.Column("pair_id", sa.Text, primary_key=True),
    sa.Column("method_id", sa.Text, primary_key=True),
    sa.Column("query_id", sa.Text, nullable=False),
    sa.Column("query", sa.Text, nullable=False),
    sa.Column("function_id", sa.Text, nullable=False),
    sa.Column("code", sa.Text, nullable=False),
    sa.Column("language", sa.Text, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("repository", sa.Text, nullable=False),
    sa.Column("version", sa.Text, nullable=False),
    sa.Column("path", sa.Text, nullable=False),
    sa.Column("qualname", sa.Text, nullable=False),
    sa.Column("on_demand", sa.Boolean, nullable=False),
    sa.Column("label", sa.SmallInteger, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("decided_by", sa.Text, nullable=False),
    sa.Column("unclear", sa.Boolean, nullable=False),
    sa.Column("self_reported", sa.Boolean, nullable=False),
    sa.Column("executed", sa.Boolean, nullable=True),
    sa.Column("assertions", sa.Integer, nullable=False),
    sa.Column("audit", sa.SmallInteger, nullable=True),
    sa.Column("record_digest", sa.Text, nullable=False),
    sa.Column("steps", JSONB, nullable=False),
    sa.Column("tokens_in", sa.BigInteger, nullable=False),
    sa.Column("tokens_out", sa.BigInteger, nullable=False),
    sa.Column("seconds", sa.Float, nullable=False),
    sa.Column("cost_usd", sa.Float, nullable=False),
    sa.Column("calls", sa.Integer, nullable=False),
    sa.Column("labelled_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
    sa.CheckConstraint("label in (0, 1)", name="label_is_binary"),
)
sa.Index("labels_by_time", LABELS.c.labelled_at.desc())
sa.Index("labels_by_query", LABELS.c.query_id)
