"""From a judgement to a label that stays: store first, announce second, and the same again on a replay."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from annotator.domain.pair import Pair
from annotator.domain.record import PERSON, Record, Step
from annotator.domain.statistics import Effort
from annotator.errors import BadRequestError, UnknownPairError
from annotator.ports import (
    EVERY,
    Announcer,
    LabelCounts,
    Labels,
    Place,
    RecordStore,
    StepSummary,
    StoredLabel,
    Wanted,
)
from annotator.usecases.announcing import announce_current
from annotator.usecases.exhibits import Exhibits
from annotator.usecases.judging import Judge
from annotator.usecases.people import foremost, peoples_word, take_over


class Labelling:
    """Labels pairs, each once under a method.

    Args:
        judge: Judges.
        labels: Keeps labels.
        records: Keeps whole records.
        announcer: Publishes labels.
        observe: Told of each new label, for metrics.
        exhibits: Reads what was tested, for who looks at one pair.
    """

    def __init__(
        self,
        judge: Judge,
        labels: Labels,
        records: RecordStore,
        announcer: Announcer,
        observe: Callable[[StoredLabel], None] = lambda _label: None,
        exhibits: Exhibits | None = None,
    ) -> None:
        self._exhibits = exhibits
        self._judge = judge
        self._labels = labels
        self._records = records
        self._announcer = announcer
        self._observe = observe
        self._in_flight: dict[str, str] = {}

    async def label(self, pair: Pair) -> StoredLabel:
        """Label a pair, or give the label that it has.

        A crash at any point leaves nothing to undo: models answer from their cache, records lie under their
        digest, and what the pair's label is by then is announced again. Judgements on demand are not announced:
        their code belongs to no index. What has the texts of a labelled pair is that pair, and where people have
        decided, theirs is the answer and nobody is asked.

        Raises:
            BadPairError: there is nothing to judge.
            RetryableError: model, sandbox, store or broker are away.
        """
        if pair.on_demand:
            same = foremost(await self._labels.same_texts(pair))
            if same is not None and same.decided_by == PERSON:
                return same
            pair = replace(same.pair, joined=not same.pair.on_demand) if same is not None else pair
        stored = await self._labelled(pair)
        if stored is None:
            stored = await self._label_anew(pair)
        if not pair.on_demand:
            await self._announce(stored.pair)
        return stored

    async def known(self, pair: Pair) -> bool:
        """Whether nobody need judge a pair: it has its label under this method, or people's.

        A pair with a label of this method is announced again, as `label` does. What people said of its query and code
        under other ids, from now on they say of it.
        """
        if await self._labelled(pair) is not None:
            await self.label(pair)
            return True
        found = await self._labels.of_pair(pair.pair_id)
        if found and found[0].decided_by == PERSON:
            return True
        word = await peoples_word(self._labels, pair)
        if word is not None:
            await take_over(self._labels, self._records, word, pair)
            await self._announce(pair)
        return word is not None

    async def newest(self, limit: int, wanted: Wanted = EVERY, after: Place | None = None) -> list[StoredLabel]:
        """The current label of each pair, newest first.

        Raises:
            BadRequestError: there is no such outcome.
        """
        if wanted.outcome not in ("", "yes", "no", "undecided"):
            raise BadRequestError("no outcome", thing=wanted.outcome, way_out="yes, no or undecided")
        return await self._labels.newest(limit, wanted, after)

    async def find(self, identifier: str) -> list[StoredLabel]:
        """All labels of one pair, the current one first and with what was tested.

        Args:
            identifier: Its whole id, or how it begins.

        Raises:
            UnknownPairError: no pair has this id, or several do.
        """
        found = await self._labels.of_pair(identifier)
        named = {label.pair.pair_id for label in found}
        if len(named) != 1:
            several = f"{len(named)} pairs or more begin so" if named else "no pair has this id"
            raise UnknownPairError(several, thing=identifier or "(empty)", way_out="see `touchstone pairs list`")
        return [await self._exhibits.shown(label) for label in found[:1]] + found[1:] if self._exhibits else found

    async def counts(self) -> LabelCounts:
        """How far the work is."""
        return await self._labels.counts()

    @property
    def activities(self) -> list[str]:
        """What is being judged now, one line each, for people."""
        return list(self._in_flight.values())

    async def _labelled(self, pair: Pair) -> StoredLabel | None:
        """The label of a pair under this method; it stands again where another method was in use for a while."""
        for method_id in self._judge.method_ids(pair):
            if (stored := await self._labels.reinstate(pair.pair_id, method_id)) is not None:
                return stored
        return None

    async def _announce(self, pair: Pair) -> None:
        await announce_current(self._labels, self._records, self._announcer, pair.pair_id)

    async def _label_anew(self, pair: Pair) -> StoredLabel:
        self._in_flight[pair.pair_id] = f"judging {pair.qualname or pair.name or 'code'} for: {pair.query[:80]}"
        try:
            record = await self._judge.judge(pair)
        finally:
            self._in_flight.pop(pair.pair_id, None)
        digest = await self._records.put(record.to_bytes())
        label = await self._labels.add(summary(record, digest))
        self._observe(label)
        return label


def summary(record: Record, digest: str) -> StoredLabel:
    """What is kept of a record in the database, the clock's figures included."""
    return StoredLabel(
        pair=record.pair,
        method_id=record.method_id,
        label=record.label,
        reason=record.reason,
        decided_by=record.decided_by,
        unclear=record.unclear,
        self_reported=record.self_reported,
        executed=record.executed,
        assertions=record.assertions,
        audit=record.audit,
        record_digest=digest,
        steps=tuple(_summary_of(step) for step in record.steps),
        effort=Effort(
            tokens_in=sum(step.tokens_in for step in record.steps),
            tokens_out=sum(step.tokens_out for step in record.steps),
            cost_usd=sum(step.cost_usd for step in record.steps),
            seconds=round(sum(step.elapsed_s for step in record.steps), 3),
        ),
        calls=sum(len(step.exchanges) for step in record.steps),
        reading=record.reading,
        score=record.score,
        calibration=record.calibration,
    )


def _summary_of(step: Step) -> StepSummary:
    return StepSummary(
        name=step.name,
        outcome=step.outcome,
        detail=step.detail,
        model=step.exchanges[-1].model if step.exchanges else "",
        tokens_in=step.tokens_in,
        tokens_out=step.tokens_out,
        elapsed_s=round(step.elapsed_s, 3),
        cost_usd=step.cost_usd,
    )
