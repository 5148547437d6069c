"""Labels that somebody brings: people's, with the code that they are about."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from annotator.domain.corpus_filter import unfit
from annotator.domain.pair import LANGUAGES, LONGEST_CODE, LONGEST_QUERY, Pair
from annotator.domain.record import PERSON, Label
from annotator.domain.review import of_reviewers
from annotator.errors import BadRequestError
from annotator.ports import Announcer, Labels, Portions, RecordStore, StoredLabel
from annotator.usecases.announcing import announce_current
from annotator.usecases.people import as_recorded, by_people, foremost, peoples_word
from touchstone_contracts import identities
from touchstone_contracts.envelope import content_id
from touchstone_contracts.manifests import canonical

FORMAT = "touchstone.imported-label.v1"
# In characters, of what is said of a code and of a reason.
_LONGEST_NAME = 500
_LONGEST_REASON = 4_000
_MOST = {"query": LONGEST_QUERY, "code": LONGEST_CODE, "reason": _LONGEST_REASON}


@dataclass(frozen=True, slots=True)
class GivenLabel:
    """A label as it is brought.

    Attributes:
        label: 1 where the code answers the query, 0 where it does not.
        function_id: A function that a pool holds; empty: the code has an id of its own.
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
        contradicting: Place of what was stored though people had said otherwise of the pair, and what they had said.
    """

    stored: int
    already: int
    refused: tuple[tuple[int, str], ...]
    contradicting: tuple[tuple[int, str], ...] = ()


class LabelImport:
    """Takes labels in; bringing them twice changes nothing.

    Args:
        labels: Keeps labels.
        records: Keeps what was brought.
        announcer: Publishes labels.
        kept: Where what was brought lies, to tell who brought it; None where nobody is told.
    """

    def __init__(
        self, labels: Labels, records: RecordStore, announcer: Announcer, kept: Portions | None = None
    ) -> None:
        self._kept = kept
        self._labels = labels
        self._records = records
        self._announcer = announcer

    async def __call__(
        self, origin: str, given: Sequence[GivenLabel], by: str = "", *, filtered: bool = True, unnamed: bool = False
    ) -> Imported:
        """Store labels as people's, each in the pool of its query, and announce them.

        Args:
            origin: Where they come from; a label of a pair from the same origin is not taken twice, the first stands,
                and one that contradicts it is refused.
            given: The labels.
            by: Who brings them, which the records keep beside the origin; empty where nobody is known.
            filtered: Whether codes that take nothing or give nothing are refused.
            unnamed: Whether the origin is but the name of a file, which another's file may have: who brings it is part
                of it then.

        Raises:
            BadRequestError: no origin is named.
            RetryableError: store or broker are away.
        """
        if not origin.strip():
            raise BadRequestError(
                "nobody is named who gave the labels", thing="origin", way_out="name a set or a person"
            )
        origin = f"{origin} of {by}" if unnamed and by else origin
        if len(origin) > _LONGEST_NAME:
            raise BadRequestError(f"longer than {_LONGEST_NAME} characters", thing="origin", way_out="shorten it")
        stored = already = 0
        refused: list[tuple[int, str]] = []
        contradicting: list[tuple[int, str]] = []
        for place, each in enumerate(given):
            pair, flaw = pair_of(each), _flaw(each)
            if not flaw:
                pair, flaw = await self._meant(pair)
            flaw = flaw or (unfit(pair) if filtered else "")
            if flaw:
                refused.append((place, flaw))
                continue
            method_id = f"{PERSON}-{content_id('import', origin)[:12]}"
            label = await self._said_before(pair, method_id)
            if label is not None and label.label != each.label:
                refused.append((place, await self._refused(origin, label)))
                continue
            already += label is not None
            if label is None:
                before = await peoples_word(self._labels, pair)
                label = await self._labels.add(await self._made(pair, each, origin, by, method_id))
                stored += 1
                if before is not None and before.label != label.label:
                    contradicting.append((place, _other_word(before)))
            await announce_current(self._labels, self._records, self._announcer, label.pair.pair_id)
        return Imported(stored, already, tuple(refused), tuple(contradicting))

    async def _meant(self, pair: Pair) -> tuple[Pair, str]:
        """The pair with what the platform knows of its code, and why it cannot be taken; empty where it can.

        One function is one code, whoever names it. A function's id is a digest of its place and version too, which no
        importer can show: only where a pool holds the code is it known to be the one that the id means.
        """
        known = await self._labels.code_of(pair.function_id)
        if known is not None and identities.code_words(known.code) != identities.code_words(pair.code):
            return pair, f"{pair.function_id} is another code here"
        if pair.function_id in identities.code_ids(pair.code, pair.language):
            # What a pool has under a function's id is one pair with what comes by its text. Of a pair that somebody
            # asked for on demand nothing but its ids is known, and the importer may know more.
            same = foremost(await self._labels.same_texts(pair))
            if same is None:
                return await self._of_known_code(pair), ""
            if not same.pair.on_demand:
                return same.pair, ""
            ids = {name: getattr(same.pair, name) for name in ("pair_id", "query_id", "function_id")}
            return replace(pair, **ids), ""
        if known is None:
            return pair, (
                f"no pool holds {pair.function_id} yet, so that nobody knows whether this is its code: bring the label "
                "once a pair of it is judged, or leave the id out, and the code has an id of its own"
            )
        # Of a code that the platform took in, licence, language and place are no importer's word.
        return replace(known, pair_id=pair.pair_id, query_id=pair.query_id, query=pair.query, similarity=None), ""

    async def _of_known_code(self, pair: Pair) -> Pair:
        """The pair under the id that a pool has its code by, which may be one of before; as it is where none has it."""
        others = sorted(identities.code_ids(pair.code, pair.language) - {pair.function_id})
        for function_id in (pair.function_id, *others):
            if await self._labels.code_of(function_id) is not None:
                pair_id = identities.pair_id(pair.query_id, function_id)
                return replace(pair, pair_id=pair_id, function_id=function_id)
        return pair

    async def _said_before(self, pair: Pair, method_id: str) -> StoredLabel | None:
        """What an origin has said of a query and a code before, under whatever ids."""
        same = [each.pair.pair_id for each in await self._labels.same_texts(pair)]
        for pair_id in dict.fromkeys((pair.pair_id, *same)):
            if (label := await self._labels.find(pair_id, method_id)) is not None:
                return label
        return None

    async def _refused(self, origin: str, before: StoredLabel) -> str:
        """Why an origin's other label of a pair is not taken, and what to do about it."""
        by = _brought_by(await self._kept.get(before.record_digest)) if self._kept else ""
        stands = f"{origin} has said {before.outcome} of this pair before, which stands"
        return f"{stands}{f' (brought by {by})' if by else ''}: where somebody else says this, name them with --origin"

    async def _made(self, pair: Pair, given: GivenLabel, origin: str, by: str, method_id: str) -> StoredLabel:
        label: Label = 1 if given.label else 0
        reason = given.reason or f"given by {origin}"
        record = {
            "format": FORMAT,
            "origin": origin,
            "imported_by": by,
            "pair": as_recorded(pair),
            "label": label,
            "reason": reason,
            "decided_by": PERSON,
            "method_id": method_id,
        }
        digest = await self._records.put(canonical(record))
        return by_people(pair, label, reason, method_id, digest)


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


def _brought_by(record: bytes | None) -> str:
    """Who brought a label, by its record; empty where it does not say."""
    try:
        return str(json.loads(record or b"{}").get("imported_by", ""))
    except (ValueError, AttributeError):
        return ""


def _other_word(before: StoredLabel) -> str:
    """What people had said of a pair that is labelled otherwise now."""
    stands = ", and stands" if of_reviewers(before.method_id) else ""
    return f"pair {before.pair.pair_id[:8]}: people's label was {before.outcome}{stands} ({before.reason[:200]})"


def _flaw(given: GivenLabel) -> str:
    if not given.query.strip() or not given.code.strip():
        return f"its {'code' if given.query.strip() else 'query'} is empty"
    for name, text in asdict(given).items():
        if isinstance(text, str) and len(text) > _MOST.get(name, _LONGEST_NAME):
            return f"its {name} has {len(text)} characters, more than {_MOST.get(name, _LONGEST_NAME)}"
        if isinstance(text, str) and "\0" in text:
            # No table holds one, so that the same code would be another one when it comes again.
            return f"its {name} holds a NUL"
    if given.label not in (0, 1):
        return f"its label is {given.label}, not 0 or 1"
    if given.function_id.split() != ([given.function_id] if given.function_id else []):
        return f"{given.function_id!r} is no id"
    return (
        "" if given.language in LANGUAGES else f"its language is {given.language!r}, not one of {', '.join(LANGUAGES)}"
    )
