"""Each label knows how many people have given an opinion on its pair, so that the queue begins at its first pair."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_WAITS = "current is true and on_demand is false and decided_by <> 'person' and opinions = {opinions}"
_DISPUTED = "audit IS NOT NULL AND label IS NOT NULL AND audit <> label"
_BY_TIME = ("labelled_at DESC", "pair_id")
_DOUBT = ("abs(score - 0.5::double precision)", "pair_id")
# What was there, and what takes its place: only pairs that wait for an opinion are in it.
_QUEUES = {
    "labels_queue_begun": (("first_reviewer", "pair_id"), 1, "true"),
    "labels_queue_disputed": (_BY_TIME, 0, _DISPUTED),
    "labels_queue_undecided": (_BY_TIME, 0, "label is null"),
    "labels_queue_by_doubt": (_DOUBT, 0, "score is not null"),
    "labels_queue": (("pair_id",), 0, "true"),
}
_BEFORE = {
    "labels_disputed_by_time": (_BY_TIME, _DISPUTED),
    "labels_undecided_by_time": (_BY_TIME, "label is null"),
    "labels_by_doubt": (_DOUBT, "score is not null"),
}
_TOLD = "select count(*), coalesce(min(reviewer), '') from reviews where pair_id = "
_FUNCTIONS = {
    # The same lock as of whoever stores a label of the pair: neither overlooks the other.
    "opinions_after_review": (
        "after insert on reviews",
        "perform pg_advisory_xact_lock(hashtextextended(new.pair_id, 0)); "
        f"update labels set (opinions, first_reviewer) = ({_TOLD} new.pair_id) where pair_id = new.pair_id; "
        "return null;",
    ),
    "opinions_of_label": (
        "before insert on labels",
        f"{_TOLD.replace(' from', ' into new.opinions, new.first_reviewer from')} new.pair_id; return new;",
    ),
}


def upgrade() -> None:
    """Add the columns, keep them by triggers, and exchange the indexes."""
    op.add_column("labels", sa.Column("opinions", sa.SmallInteger, nullable=False, server_default="0"))
    op.add_column("labels", sa.Column("first_reviewer", sa.Text, nullable=False, server_default=""))
    for name, (when, body) in _FUNCTIONS.items():
        op.execute(f"create function {name}() returns trigger language plpgsql as $$ begin {body} end $$")
        op.execute(f"create trigger {name} {when} for each row execute function {name}()")
    op.execute(
        f"update labels set (opinions, first_reviewer) = ({_TOLD} labels.pair_id) "
        "where pair_id in (select pair_id from reviews)"
    )
    for name in _BEFORE:
        op.drop_index(name)
    for name, (columns, opinions, which) in _QUEUES.items():
        condition = sa.text(f"{_WAITS.format(opinions=opinions)} and {which}")
        op.create_index(name, "labels", [sa.text(column) for column in columns], postgresql_where=condition)


def downgrade() -> None:
    """Bring the indexes back, and drop what is kept."""
    for name in _QUEUES:
        op.drop_index(name)
    for name, (columns, which) in _BEFORE.items():
        condition = sa.text(f"current is true and {which}")
        op.create_index(name, "labels", [sa.text(column) for column in columns], postgresql_where=condition)
    for name, (when, _) in _FUNCTIONS.items():
        op.execute(f"drop trigger {name} on {when.rpartition(' ')[2]}")
        op.execute(f"drop function {name}()")
    for column in ("opinions", "first_reviewer"):
        op.drop_column("labels", column)
