"""What reviewers agree and differ on is kept as it comes, so that it is told without all opinions being read."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

# Two opinions of one pair, in the order of their reviewers' names, each two of them once.
_BOTH = """
select
    pair_id, least(mine, theirs) as first, greatest(mine, theirs) as second,
    case when mine < theirs then my_opinion else their_opinion end as one,
    case when mine < theirs then their_opinion else my_opinion end as other
from (
    select fresh.pair_id, fresh.reviewer as mine, kept.reviewer as theirs, fresh.opinion as my_opinion,
        kept.opinion as their_opinion, fresh.reviewer < kept.reviewer or not exists (
            select from {added} as too where too.pair_id = kept.pair_id and too.reviewer = kept.reviewer
        ) as once
    from {added} as fresh join reviews as kept on kept.pair_id = fresh.pair_id and kept.reviewer <> fresh.reviewer
) as met where once
"""
_PAIRS = """
insert into opinion_pairs as kept (one, other, pairs)
select one, other, count(*) from ({both}) as both_ones group by one, other order by one, other
on conflict (one, other) do update set pairs = kept.pairs + excluded.pairs
"""
_DISPUTES = """
insert into disputes (pair_id, first, second)
select pair_id, first, second from ({both}) as both_ones where one <> other
and not exists (select from adjudications as decided where decided.pair_id = both_ones.pair_id)
on conflict do nothing
"""
# What a method said last; -1 stands for undecided, and for nothing.
_BEFORE = """
coalesce((
    select label from labels as by_method where by_method.pair_id = {pair_id} and decided_by <> 'person' {which}
    order by labelled_at desc, method_id limit 1
), -1)
"""
_WITHOUT = (
    "and not exists (select from added where added.pair_id = by_method.pair_id "
    "and added.method_id = by_method.method_id)"
)
_OUTCOMES = """
insert into review_outcomes as kept (label, before, pairs)
select label, before, sum(sign) from ({changes}) as changed
group by label, before having sum(sign) <> 0 order by label, before
on conflict (label, before) do update set pairs = kept.pairs + excluded.pairs
"""
_OF_REVIEWS = "select coalesce(label, -1) as label, {before} as before, 1 as sign from {table} as review where {which}"
_REVIEW = "method_id = 'person-review'"
# A review is counted when it comes, and counted anew when a method says something else later.
_CHANGES = f"""
{_OF_REVIEWS.format(before=_BEFORE.format(pair_id="review.pair_id", which=""), table="added", which=_REVIEW)}
union all
select coalesce(review.label, -1), told.before, told.sign
from (select distinct pair_id from added where decided_by <> 'person') as changed
join labels as review on review.pair_id = changed.pair_id and review.{_REVIEW}
cross join lateral (values
    (1, {_BEFORE.format(pair_id="review.pair_id", which="")}),
    (-1, {_BEFORE.format(pair_id="review.pair_id", which=_WITHOUT)})
) as told(sign, before)
where not exists (select from added where added.pair_id = review.pair_id and added.{_REVIEW})
"""
# By its name the last one comes after `totals_after_…`, whose one row makes writers take turns.
_TRIGGERS = {
    "opinions_met": ("reviews", [_PAIRS.format(both=_BOTH), _DISPUTES.format(both=_BOTH)]),
    "disputes_end": (
        "adjudications",
        ["delete from disputes where pair_id in (select pair_id from {added})"],
    ),
    "totals_of_reviews": ("labels", [_OUTCOMES.format(changes=_CHANGES)]),
}


def upgrade() -> None:
    """Make the tables, keep them by triggers, and make the index of reviews' labels."""
    op.create_table(
        "opinion_pairs",
        sa.Column("one", sa.Text, primary_key=True),
        sa.Column("other", sa.Text, primary_key=True),
        sa.Column("pairs", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "disputes",
        sa.Column("pair_id", sa.Text, primary_key=True),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("first", "second")),
    )
    op.create_table(
        "review_outcomes",
        *(sa.Column(name, sa.Integer, primary_key=True, autoincrement=False) for name in ("label", "before")),
        sa.Column("pairs", sa.BigInteger, nullable=False),
    )
    op.create_index("labels_of_reviews", "labels", ["pair_id"], postgresql_where=sa.text(_REVIEW))
    for name, (table, steps) in _TRIGGERS.items():
        body = "; ".join(step.format(added="added") for step in steps)
        op.execute(
            f"create function {name}() returns trigger language plpgsql as $$ begin {body}; return null; end $$"
        )
        op.execute(
            f"create trigger {name} after insert on {table} referencing new table as added "
            f"for each statement execute function {name}()"
        )
    # The triggers keep writers away until this is counted.
    for step in _TRIGGERS["opinions_met"][1]:
        op.execute(step.format(added="reviews"))
    before = _BEFORE.format(pair_id="review.pair_id", which="")
    op.execute(_OUTCOMES.format(changes=_OF_REVIEWS.format(before=before, table="labels", which=_REVIEW)))


def downgrade() -> None:
    """Drop them."""
    for name, (table, _) in _TRIGGERS.items():
        op.execute(f"drop trigger {name} on {table}")
        op.execute(f"drop function {name}()")
    op.drop_index("labels_of_reviews")
    for table in ("review_outcomes", "disputes", "opinion_pairs"):
        op.drop_table(table)
