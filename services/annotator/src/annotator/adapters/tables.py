"""The tables of this service's schema."""

from __future__ import annotations

from typing import Any

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
    # Import statements, for who judges the code for another query; empty where nobody told.
    sa.Column("imports", JSONB, nullable=False, server_default="[]"),
    sa.Column("file_imports", JSONB, nullable=False, server_default="[]"),
    # Kept by triggers: how many people have given an opinion on the pair, and who was the first by name.
    sa.Column("opinions", sa.SmallInteger, nullable=False, server_default="0"),
    sa.Column("first_reviewer", sa.Text, nullable=False, server_default=""),
    sa.CheckConstraint("label in (0, 1)", name="label_is_binary"),
)
sa.Index("labels_by_time", LABELS.c.labelled_at.desc())
sa.Index("labels_by_query", LABELS.c.query_id)
# In the very words of the indexes: with the bare column the planner uses none of them.
CURRENT = LABELS.c.current.is_(True)
sa.Index("labels_current_by_time", LABELS.c.labelled_at.desc(), LABELS.c.pair_id, postgresql_where=CURRENT)
sa.Index("labels_current", LABELS.c.pair_id, unique=True, postgresql_where=CURRENT)
sa.Index("labels_current_by_words", sa.func.md5(LABELS.c.query), LABELS.c.labelled_at.desc(), postgresql_where=CURRENT)

# For siblings: the oldest of a language.
sa.Index(
    "labels_current_by_language",
    LABELS.c.language,
    LABELS.c.labelled_at.desc(),
    LABELS.c.pair_id,
    postgresql_where=CURRENT,
)

sa.Index("labels_by_code", LABELS.c.function_id)
OF_REVIEW = LABELS.c.method_id == sa.literal_column("'person-review'")
sa.Index("labels_of_reviews", LABELS.c.pair_id, postgresql_where=OF_REVIEW)
DISPUTED = LABELS.c.audit.is_not(None) & LABELS.c.label.is_not(None) & (LABELS.c.audit != LABELS.c.label)
# Kinds of labels: what a list may be narrowed by, with 1, 0 and -1 for yes, no and undecided.
OUTCOME = sa.func.coalesce(LABELS.c.label, sa.literal_column("-1"))
sa.Index(
    "labels_by_facet",
    LABELS.c.language,
    LABELS.c.decided_by,
    OUTCOME,
    DISPUTED.self_group(),
    LABELS.c.labelled_at.desc(),
    LABELS.c.pair_id,
    postgresql_include=["label", "audit"],
    postgresql_where=CURRENT,
)

DOUBT = sa.func.abs(LABELS.c.score - sa.literal_column("0.5"))
_BY_TIME = (LABELS.c.labelled_at.desc(), LABELS.c.pair_id)


def waiting(opinions: int) -> sa.ColumnElement[bool]:
    """Pairs that wait for people and have so many opinions; in the words of the indexes, which know no parameters."""
    of_people = LABELS.c.decided_by != sa.literal_column("'person'")
    return sa.and_(
        CURRENT, LABELS.c.on_demand.is_(False), of_people, LABELS.c.opinions == sa.literal_column(str(opinions))
    )


# The queue of reviews: which pairs, and in which order, one part after the other.
BEGUN = (LABELS.c.first_reviewer, LABELS.c.pair_id)
QUEUE: dict[str, tuple[sa.ColumnElement[bool], tuple[Any, ...]]] = {
    "labels_queue_disputed": (DISPUTED, _BY_TIME),
    "labels_queue_undecided": (LABELS.c.label.is_(None), _BY_TIME),
    "labels_queue_by_doubt": (LABELS.c.score.is_not(None), (DOUBT, LABELS.c.pair_id)),
    "labels_queue": (sa.true(), (LABELS.c.pair_id,)),
}
sa.Index("labels_queue_begun", *BEGUN, postgresql_where=waiting(1))
for _name, (_which, _order) in QUEUE.items():
    sa.Index(_name, *_order, postgresql_where=sa.and_(waiting(0), _which))

# One row, kept by triggers on `labels`: sums over the current label of each pair.
TOTALS = sa.Table(
    "label_totals",
    METADATA,
    *(
        sa.Column(name, sa.BigInteger, nullable=False, server_default="0")
        for name in ("labelled", "matching", "unclear", "tested", "executed", "disputed", "undecided")
    ),
)

# How many current labels each kind has, kept by triggers on `labels`. A kind that went keeps its row, at 0.
FACETS = sa.Table(
    "label_facets",
    METADATA,
    sa.Column("language", sa.Text, primary_key=True),
    sa.Column("decided_by", sa.Text, primary_key=True),
    sa.Column("outcome", sa.Integer, primary_key=True),
    sa.Column("disputed", sa.Boolean, primary_key=True),
    sa.Column("labels", sa.BigInteger, nullable=False),
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

# Kept by triggers on `reviews` and `adjudications`: how many pairs have which two opinions, in the order of their
# reviewers' names, and the pairs on which two differ and nobody has decided.
OPINION_PAIRS = sa.Table(
    "opinion_pairs",
    METADATA,
    sa.Column("one", sa.Text, primary_key=True),
    sa.Column("other", sa.Text, primary_key=True),
    sa.Column("pairs", sa.BigInteger, nullable=False),
)
DISPUTES = sa.Table(
    "disputes",
    METADATA,
    sa.Column("pair_id", sa.Text, primary_key=True),
    sa.Column("first", sa.Text, nullable=False),
    sa.Column("second", sa.Text, nullable=False),
)
# Kept by a trigger on `labels`: how many reviews came to which label where a method's newest label is which; -1 for
# undecided, and for none.
REVIEW_OUTCOMES = sa.Table(
    "review_outcomes",
    METADATA,
    sa.Column("label", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("before", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("pairs", sa.BigInteger, nullable=False),
)

# Labels that were stored and that the broker has not had since.
UNANNOUNCED = sa.Table(
    "unannounced",
    METADATA,
    sa.Column("pair_id", sa.Text, primary_key=True),
    sa.Column("method_id", sa.Text, primary_key=True),
)

# Proposed pairs that nobody has judged; `priority` is of `worth` and `judged`, see `domain.worth`.
WAITING = sa.Table(
    "waiting",
    METADATA,
    sa.Column("pair_id", sa.Text, primary_key=True),
    sa.Column("query_id", sa.Text, nullable=False),
    sa.Column("pair", JSONB, nullable=False),
    sa.Column("worth", sa.Double, nullable=False),
    # As counted when the pair was last looked at: more may have come, never less.
    sa.Column("judged", sa.Integer, nullable=False),
    sa.Column("priority", sa.Double, nullable=False),
    sa.Column("begun", sa.Boolean, nullable=False),
    # Processes that began it and have not said how it ended.
    sa.Column("tries", sa.SmallInteger, nullable=False),
    sa.Column("taken_until", sa.DateTime(timezone=True)),
    # Why it is not judged by itself; empty while it waits.
    sa.Column("aside", sa.Text, nullable=False),
)
IN_ORDER = (WAITING.c.begun.desc(), WAITING.c.priority.desc(), WAITING.c.pair_id)
WAITS = WAITING.c.aside == sa.literal_column("''")
ASIDE = WAITING.c.aside != sa.literal_column("''")
sa.Index("waiting_in_order", *IN_ORDER, postgresql_where=WAITS)
sa.Index("waiting_aside_in_order", *IN_ORDER, postgresql_where=ASIDE)
sa.Index("waiting_by_query", WAITING.c.query_id)

# One row, kept by triggers on `waiting`; who changes how many there are of a kind waits for whoever did so before.
WAITING_TOTALS = sa.Table(
    "waiting_totals",
    METADATA,
    *(sa.Column(name, sa.BigInteger, nullable=False) for name in ("waiting", "begun", "aside")),
)

# What the pools' pairs took, with what calls in flight may take at most; one row a period of the budget.
POOL_SPENDING = sa.Table(
    "pool_spending",
    METADATA,
    sa.Column("period", sa.Text, primary_key=True),
    sa.Column("pairs", sa.BigInteger, nullable=False),
    sa.Column("tokens", sa.BigInteger, nullable=False),
    sa.Column("cost_usd", sa.Double, nullable=False),
)
