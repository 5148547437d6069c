"""What people say of a query and a code: one word, under whatever ids the two are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from annotator.domain.pair import Pair
from annotator.domain.record import PERSON, Label
from annotator.domain.review import METHOD_ID, of_reviewers
from annotator.domain.statistics import Effort
from annotator.ports import Labels, RecordStore, StoredLabel
from touchstone_contracts import identities
from touchstone_contracts.manifests import canonical

FORMAT = "touchstone.same-texts-label.v1"


def foremost(same: Sequence[StoredLabel]) -> StoredLabel | None:
    """Of labels of pairs with the same texts the one that counts; None where there is none.

    People's before any other, reviewers' first and then the newest; then one of the pools.
    """

    def place(label: StoredLabel) -> tuple[bool, bool, float, bool, str]:
        by_people = label.decided_by == PERSON
        age = -label.labelled_at.timestamp() if by_people and label.labelled_at else 0.0
        return not by_people, not of_reviewers(label.method_id), age, label.pair.on_demand, label.pair.pair_id

    return min(same, key=place, default=None)


async def peoples_word(labels: Labels, pair: Pair) -> StoredLabel | None:
    """What people say of a query and a code, under whatever ids; None where they have said nothing.

    Raises:
        RetryableError: the store is away.
    """
    found = foremost(await labels.same_texts(pair))
    return found if found is not None and found.decided_by == PERSON else None


async def take_over(labels: Labels, records: RecordStore, word: StoredLabel, pair: Pair) -> bool:
    """Give a pair the label that people gave its texts under other ids: a label of its own, by theirs.

    Returns:
        Whether it was not there before.

    Raises:
        RetryableError: a store is away.
    """
    method_id = await _method_id(labels, word, pair)
    if not method_id:
        return False
    record = {
        "format": FORMAT,
        "pair": as_recorded(pair),
        "label": word.label,
        "reason": word.reason,
        "decided_by": PERSON,
        "method_id": method_id,
        "same_texts_as": {"pair_id": word.pair.pair_id, "record_digest": word.record_digest},
    }
    digest = await records.put(canonical(record))
    await labels.add(by_people(pair, word.label, word.reason, method_id, digest))
    return True


async def agree(labels: Labels, records: RecordStore, pair: Pair) -> list[str]:
    """Let every pair with the texts of one have what people say of them; gives the ids of those that had not.

    Pairs on demand are left out: who asks for them is answered with people's word. A code that was brought by its text
    alone gives its place to the same code in a pool, so that no release has it twice.

    Raises:
        RetryableError: a store is away.
    """
    same = await labels.same_texts(pair)
    word = foremost(same)
    if word is None or word.decided_by != PERSON:
        return []
    found: list[str] = []
    for each in same:
        has = each.pair.on_demand or (each.decided_by == PERSON and each.label == word.label)
        if not has and await take_over(labels, records, word, each.pair):
            found.append(each.pair.pair_id)
    proposed = [each.pair for each in same if not each.pair.on_demand]
    by_text = [pair for pair in proposed if pair.function_id in identities.code_ids(pair.code, pair.language)]
    if len(by_text) < len(proposed):
        for brought in by_text:
            await labels.retire(brought.pair_id)
    return found


def as_recorded(pair: Pair) -> dict[str, Any]:
    """A pair as the records of people's labels have it, which rest on no cosine."""
    return {name: value for name, value in asdict(pair).items() if name not in ("similarity", "joined")}


def by_people(pair: Pair, label: Label | None, reason: str, method_id: str, digest: str) -> StoredLabel:
    """A label that people gave; whoever asked for the pair before, it is none on demand any more."""
    return StoredLabel(
        pair=replace(pair, on_demand=False),
        method_id=method_id,
        label=label,
        reason=reason,
        decided_by=PERSON,
        unclear=False,
        self_reported=False,
        executed=None,
        assertions=0,
        audit=None,
        record_digest=digest,
        steps=(),
        effort=Effort(0, 0, 0.0, 0.0),
        calls=0,
    )


async def _method_id(labels: Labels, word: StoredLabel, pair: Pair) -> str:
    """Under which method a pair has the word of another; empty where it had that already.

    Reviewers have looked at one pair, whose figures they are. And a pair may have had a word of the same origin itself,
    which a newer one of another outranked: what that origin said of the other pair since then is a label of its own.
    """
    of_pair = f"-{word.pair.pair_id[:12]}"
    own = word.method_id + (of_pair if word.method_id == METHOD_ID else "")
    for method_id in (own, own + of_pair):
        before = await labels.find(pair.pair_id, method_id)
        if before is None:
            return method_id
        if before.labelled_at and word.labelled_at and before.labelled_at >= word.labelled_at:
            # This very word, which somebody else handed over meanwhile.
            break
    return ""
