"""Labels that somebody brings: people's, with the code that they are about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from annotator.domain.corpus_filter import unfit
from annotator.domain.pair import LANGUAGES, Pair
from annotator.domain.record import PERSON, Label
from annotator.domain.statistics import Effort
from annotator.errors import BadRequestError
from annotator.ports import Announcer, Labels, RecordStore, StoredLabel
from annotator.usecases.announcing import announce_current
from touchstone_contracts import identities
from touchstone_contracts.envelope import content_id
from touchstone_contracts.manifests import canonical

FORMAT = "touchstone.imported-label.v1"
MOST_CHARACTERS = 200_000


@dataclass(frozen=True, slots=True)
class GivenLabel:
    """A label as it is brought.

    Attributes:
        label: 1 where the code answers the query, 0 where it does not.
        function_id: A function that the platform knows; empty: the code has an id of its own.
        licence: SPDX of the code; empty where nobody says.
    """

    query: str
    code: str
    label: int
    language: str = "python"
    function_id: str = ""
    name: str = ""
    repository: str = ""
    path: str = ""
    licence: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of labels that were brought.

    Attributes:
        refused: Place among what was brought, and why it was not taken.
    """

    stored: int
    already: int
    refused: tuple[tuple[int, str], ...]


class LabelImport:
    """Takes labels in; bringing them twice changes nothing.

    Args:
        labels: Keeps labels.
        records: Keeps what was brought.
        announcer: Publishes labels.
    """

    def __init__(self, labels: Labels, records: RecordStore, announcer: Announcer) -> None:
        self._labels = labels
        self._records = records
        self._announcer = announcer

    async def __call__(self, origin: str, given: Sequence[GivenLabel], *, filtered: bool = True) -> Imported:
        """Store labels as people's, each in the pool of its query, and announce them.

        Args:
            origin: Where they come from; a label of a pair from the same origin is not taken twice, the first stands.
            given: The labels.
            filtered: Whether codes that take nothing or give nothing are refused.

        Raises:
            BadRequestError: no origin is named.
            RetryableError: store or broker are away.
        """
        if not origin.strip():
            raise BadRequestError(
                "nobody is named who gave the labels", thing="origin", way_out="name a set or a person"
            )
        stored = already = 0
        refused: list[tuple[int, str]] = []
        for place, each in enumerate(given):
            pair = pair_of(each)
            flaw = _flaw(each) or await self._other_code(pair) or (unfit(pair) if filtered else "")
            if flaw:
                refused.append((place, flaw))
                continue
            method_id = f"{PERSON}-{content_id('import', origin)[:12]}"
            label = await self._labels.find(pair.pair_id, method_id)
            already += label is not None
            if label is None:
                label = await self._labels.add(await self._made(pair, each, origin, method_id))
                stored += 1
            await announce_current(self._labels, self._announcer, label.pair.pair_id)
        return Imported(stored, already, tuple(refused))

    async def _other_code(self, pair: Pair) -> str:
        """One function is one code, whoever names it."""
        known = await self._labels.code_of(pair.function_id)
        return "" if known is None or known.code == pair.code else f"{pair.function_id} is another code here"

    async def _made(self, pair: Pair, given: GivenLabel, origin: str, method_id: str) -> StoredLabel:
        label: Label = 1 if given.label else 0
        reason = given.reason or f"given by {origin}"
        record = {
            "format": FORMAT,
            "origin": origin,
            "pair": {name: value for name, value in asdict(pair).items() if name != "similarity"},
            "label": label,
            "reason": reason,
            "decided_by": PERSON,
            "method_id": method_id,
        }
        digest = await self._records.put(canonical(record))
        return by_people(pair, label, reason, method_id, digest)


def by_people(pair: Pair, label: Label | None, reason: str, method_id: str, digest: str) -> StoredLabel:
    """A label that people gave."""
    return StoredLabel(
        pair=pair,
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


def pair_of(given: GivenLabel) -> Pair:
    """The pair that a label is about."""
    query = identities.query_words(given.query)
    query_id = identities.query_id(given.query)
    function_id = given.function_id or identities.code_id(given.code, given.language)
    return Pair(
        pair_id=identities.pair_id(query_id, function_id),
        query_id=query_id,
        query=query,
        function_id=function_id,
        code=given.code,
        language=given.language,
        name=given.name,
        repository=given.repository,
        path=given.path,
        qualname=given.name,
        licence=given.licence,
    )


def _flaw(given: GivenLabel) -> str:
    if not given.query.strip() or not given.code.strip():
        return f"its {'code' if given.query.strip() else 'query'} is empty"
    if len(given.query) + len(given.code) > MOST_CHARACTERS:
        return f"it is longer than {MOST_CHARACTERS} characters"
    if given.label not in (0, 1):
        return f"its label is {given.label}, not 0 or 1"
    if given.function_id.split() != ([given.function_id] if given.function_id else []):
        return f"{given.function_id!r} is no id"
    return (
        "" if given.language in LANGUAGES else f"its language is {given.language!r}, not one of {', '.join(LANGUAGES)}"
    )
