"""People decide: a queue of doubtful pairs, two opinions blind to each other, adjudication, and labels that outrank."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import get_args

from annotator.domain.record import PERSON
from annotator.domain.review import (
    METHOD_ID,
    OPINIONS,
    REVIEWERS,
    Agreement,
    Opinion,
    Review,
    State,
    agreement_of,
    state_of,
)
from annotator.errors import BadRequestError, NotYoursError, UnknownPairError
from annotator.ports import Announcer, Labels, RecordStore, StoredLabel
from annotator.ports.reviews import Reviews
from annotator.usecases.announcing import announce_current, current_label
from annotator.usecases.exhibits import Exhibits
from annotator.usecases.people import as_recorded, by_people
from touchstone_contracts.manifests import canonical
from touchstone_runtime.gate import spelled
from touchstone_runtime.storable import storable

FORMAT = "touchstone.review.v1"
MOST_CHARACTERS = 4000


class ReviewDesk:
    """Hands out pairs and takes opinions.

    Args:
        reviews: Keeps opinions.
        labels: Keeps labels.
        records: Keeps what was said.
        announcer: Publishes labels.
        exhibits: Reads what was tested.
    """

    def __init__(
        self, reviews: Reviews, labels: Labels, records: RecordStore, announcer: Announcer, exhibits: Exhibits
    ) -> None:
        self._exhibits = exhibits
        self._reviews = reviews
        self._labels = labels
        self._records = records
        self._announcer = announcer

    async def next_pair(self, reviewer: str) -> StoredLabel | None:
        """The pair that this reviewer should look at now; None where nothing waits.

        First those that another reviewer has begun, then disputed ones, undecided ones, those whose score is nearest
        to the middle, and the others.
        """
        found = await self._reviews.next_pair(person(reviewer))
        return await self._exhibits.shown(found) if found else None

    async def next_dispute(self, reviewer: str) -> tuple[StoredLabel, list[Review]] | None:
        """A pair on which two others differ, with their opinions; None where there is none."""
        pair_id = await self._reviews.next_dispute(person(reviewer))
        if not pair_id:
            return None
        current = (await self._labels.of_pair(pair_id))[0]
        return await self._exhibits.shown(current), await self._reviews.of_pair(pair_id)

    async def add(self, review: Review) -> State:
        """Take an opinion; the second one that is equal makes the label.

        Raises:
            BadRequestError: it is no opinion, or its note is too long.
            UnknownPairError: there is no such pair.
            NotYoursError: this reviewer has said something else before, or two others have.
        """
        review = replace(review, reviewer=person(review.reviewer), note=storable(review.note))
        current = await self._checked(review)
        kept = await self._reviews.add(review)
        mine = next((each for each in kept if each.reviewer == review.reviewer), None)
        if mine is None:
            raise NotYoursError("two reviewers have given their opinions already", thing=review.pair_id)
        if mine != review:
            raise NotYoursError(
                "your opinion on it stands already", thing=review.pair_id, way_out="opinions are never overwritten"
            )
        state = state_of(kept)
        if state == "agreed":
            await self._decide(current, kept, None)
        return state

    async def adjudicate(self, review: Review) -> State:
        """Decide a pair on which two reviewers differ.

        Raises:
            BadRequestError: it is no opinion, or its note is too long.
            UnknownPairError: there is no such pair.
            NotYoursError: the pair is in no dispute, this reviewer is a party to it, or somebody decided it otherwise.
        """
        review = replace(review, reviewer=person(review.reviewer), note=storable(review.note))
        current = await self._checked(review)
        opinions = await self._reviews.of_pair(review.pair_id)
        if state_of(opinions) != "disputed":
            raise NotYoursError("no two reviewers differ about it", thing=review.pair_id)
        if review.reviewer in {each.reviewer for each in opinions}:
            raise NotYoursError(
                "who gave one of the two opinions does not decide between them", thing=review.pair_id,
                way_out="ask a third person",
            )  # fmt: skip
        stands = await self._reviews.adjudicate(review)
        if stands != review:
            raise NotYoursError("somebody has decided it already", thing=review.pair_id)
        await self._decide(current, opinions, review)
        return "adjudicated"

    async def settle(self) -> None:
        """Make the labels of pairs that people settled before a process ended."""
        for pair_id in await self._reviews.unsettled():
            current = (await self._labels.of_pair(pair_id))[0]
            await self._decide(current, await self._reviews.of_pair(pair_id), await self._reviews.decision(pair_id))

    async def agreement(self) -> Agreement:
        """How far people agree, and how right methods were."""
        opinions, compared, decided = await self._reviews.figures()
        return agreement_of(opinions, compared, decided)

    async def _checked(self, review: Review) -> StoredLabel:
        if review.opinion not in get_args(Opinion):
            raise BadRequestError("no opinion", thing=review.opinion, way_out=f"one of {', '.join(OPINIONS)}")
        if len(review.note) > MOST_CHARACTERS:
            raise BadRequestError(f"longer than {MOST_CHARACTERS} characters", thing="note", way_out="shorten it")
        current = await current_label(self._labels, review.pair_id)
        if current is None:
            raise UnknownPairError("no pair has this id", thing=review.pair_id)
        return current

    async def _decide(self, current: StoredLabel, opinions: list[Review], by: Review | None) -> None:
        """Store what people say as the pair's label; a replay finds it and announces it again."""
        final = by or opinions[0]
        label = OPINIONS[final.opinion]
        who = "a third reviewer decided" if by else f"{REVIEWERS} reviewers agree"
        notes = "; ".join(each.note for each in (*opinions, *([by] if by else ())) if each.note)
        reason = f"{who}: {final.opinion.replace('_', ' ')}{f' ({notes})' if notes else ''}"
        record = {
            "format": FORMAT,
            "pair": as_recorded(current.pair),
            "opinions": [asdict(each) for each in sorted(opinions, key=lambda each: each.reviewer)],
            "adjudication": asdict(by) if by else None,
            "label": label,
            "reason": reason,
            "decided_by": PERSON,
            "method_id": METHOD_ID,
        }
        digest = await self._records.put(canonical(record))
        stored = await self._labels.add(by_people(current.pair, label, reason, METHOD_ID, digest))
        await announce_current(self._labels, self._records, self._announcer, stored.pair.pair_id)


def person(reviewer: str) -> str:
    """Who is meant by a name, however it is written: nobody is two reviewers of one pair.

    Raises:
        BadRequestError: nobody is named.

    Example:
        >>> person(" Ada  Lovelace") == person("ada lovelace")
        True
    """
    name = spelled(storable(reviewer))
    if not name:
        raise BadRequestError("nobody is named", thing="reviewer", way_out="sign in with a token")
    return name
