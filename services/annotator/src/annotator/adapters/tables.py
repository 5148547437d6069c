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
    sa.Column("label", sa.SmallInteger, nullable=True),
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
    sa.Column("reading", sa.Text, nullable=False, server_default=""),
    sa.Column("score", sa.Float, nullable=True),
    sa.Column("calibration", sa.Text, nullable=False, server_default=""),
    # Of several labels of a pair this is the one that counts; see `add`.
    sa.Column("current", sa.Boolean, nullable=False, server_default=sa.true()),
    # SPDX of the code; empty where the source states none.
    sa.Column("licence", sa.Text, nullable=False, server_default=""),
    sa.CheckConstraint("label in (0, 1)", name="label_is_binary"),
)
sa.Index("labels_by_time", LABELS.c.labelled_at.desc())
sa.Index("labels_by_query", LABELS.c.query_id)
# In the very words of the indexes: with the bare column the planner uses none of them.
CURRENT = LABELS.c.current.is_(True)
sa.Index("labels_current_by_time", LABELS.c.labelled_at.desc(), LABELS.c.pair_id, postgresql_where=CURRENT)
sa.Index("labels_current", LABELS.c.pair_id, unique=True, postgresql_where=CURRENT)
sa.Index("labels_current_by_words", sa.func.md5(LABELS.c.query), LABELS.c.labelled_at.desc(), postgresql_where=CURRENT)

for _name, _column in (("decider", LABELS.c.decided_by), ("language", LABELS.c.language)):
    sa.Index(
        f"labels_current_by_{_name}",
        _column,
        LABELS.c.labelled_at.desc(),
        LABELS.c.pair_id,
        postgresql_where=CURRENT,
    )

sa.Index("labels_by_code", LABELS.c.function_id)
# Rare ones, which a walk through all would find late.
DISPUTED = LABELS.c.audit.is_not(None) & LABELS.c.label.is_not(None) & (LABELS.c.audit != LABELS.c.label)
for _name, _rare in (("undecided", LABELS.c.label.is_(None)), ("disputed", DISPUTED)):
    sa.Index(
        f"labels_{_name}_by_time",
        LABELS.c.labelled_at.desc(),
        LABELS.c.pair_id,
        postgresql_where=sa.and_(CURRENT, _rare),
    )

DOUBT = sa.func.abs(LABELS.c.score - 0.5)
sa.Index("labels_by_doubt", DOUBT, LABELS.c.pair_id, postgresql_where=sa.and_(CURRENT, LABELS.c.score.is_not(None)))

# One row, kept by triggers on `labels`: sums over the current label of each pair.
TOTALS = sa.Table(
    "label_totals",
    METADATA,
    *(
        sa.Column(name, sa.BigInteger, nullable=False, server_default="0")
        for name in ("labelled", "matching", "unclear", "tested", "executed", "disputed", "undecided")
    ),
)

RELEASES = sa.Table(
    "releases",
    METADATA,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("number", sa.BigInteger),
    sa.Column("digest", sa.Text),
    sa.Column("manifest_digest", sa.Text),
    sa.Column("queries", sa.BigInteger),
    sa.Column("codes", sa.BigInteger),
    sa.Column("pairs", sa.BigInteger),
    sa.Column("created_at", sa.DateTime(timezone=True)),
)

REVIEWS = sa.Table(
    "reviews",
    METADATA,
    sa.Column("pair_id", sa.Text, primary_key=True),
    sa.Column("reviewer", sa.Text, primary_key=True),
    sa.Column("opinion", sa.Text, nullable=False),
    sa.Column("note", sa.Text, nullable=False),
    sa.Column("reviewed_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
)

ADJUDICATIONS = sa.Table(
    "adjudications",
    METADATA,
    sa.Column("pair_id", sa.Text, primary_key=True),
    sa.Column("reviewer", sa.Text, nullable=False),
    sa.Column("opinion", sa.Text, nullable=False),
    sa.Column("note", sa.Text, nullable=False),
    sa.Column("adjudicated_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
)
