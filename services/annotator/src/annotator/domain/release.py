"""A release of a retrieval benchmark: frozen queries, codes and labels, described by a manifest that people can read.

Its digest depends on nothing but what it holds. What lies outside of the digest: the release's name, the inputs of its
creation and what changed since the release before, which are in the manifest for people; the moment of its creation is
not in it. The rows themselves lie in the blob store, in portions, and the manifest names the digest of each.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, cast

from annotator.domain.record import PERSON, Label
from touchstone_contracts.identities import pair_id, query_id
from touchstone_contracts.manifests import canonical, sha256

FORMAT = "touchstone-labels/1"
# In the order in which they are written and checked: labels name queries and codes.
QUERIES, LABELS = "queries", "labels"
PARTS = (QUERIES, "codes", LABELS)
# Counts of the rows of each part.
COUNTED = ("queries", "codes", "pairs")
# Rows of one portion.
PORTION = 2000
# So many changed labels are listed one by one; the others are counted.
LISTED = 200
# So much of a text is told of.
_SHOWN = 120
UNDECIDED = "undecided"
# In the place of who decided, where a release does not tell the label that a pair has.
LEFT_OUT, CONTRADICTED = "left out", "contradicted"
WITHHELD = frozenset({LEFT_OUT, CONTRADICTED})
_DIGESTED = ("format", "counts", "methods", "parts")

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Selection:
    """Which pairs a release takes.

    A pair that is not taken, and whose query and code are there by others, is there as undecided: nobody's search is
    wrong where it finds what a release does not tell of.

    Attributes:
        languages: Only codes in one of these; empty takes all.
        licences: Only codes under one of these (SPDX); empty takes all, those without a stated licence among them.
        decided_by: Only labels by one of these; empty takes all. What is undecided is decided by "default" or "score".
    """

    languages: tuple[str, ...] = ()
    licences: tuple[str, ...] = ()
    decided_by: tuple[str, ...] = ()

    def to_dict(self) -> Json:
        """The inputs of the creation, as the manifest states them."""
        return {name: sorted(set(values)) for name, values in asdict(self).items()}

    def beyond(self, counts: Mapping[str, Any]) -> list[str]:
        """What a release holds by its counts and this selection does not take, in words."""
        return [
            f"its {what} are {counts[by]}, and it was asked for those of {', '.join(sorted(wanted))}"
            for what, by, wanted in (
                ("codes", "codes_by_language", self.languages),
                ("codes", "codes_by_licence", self.licences),
                ("pairs", "pairs_by_decider", self.decided_by),
            )
            if wanted and set(counts[by]) - set(wanted) - WITHHELD
        ]


@dataclass(frozen=True, slots=True)
class PooledQuery:
    """A query of a release."""

    query_id: str
    text: str


@dataclass(frozen=True, slots=True)
class PooledCode:
    """A code of a release; `licence` is SPDX, None where the source states none."""

    function_id: str
    code: str
    language: str
    name: str
    repository: str
    version: str
    path: str
    qualname: str
    licence: str | None


@dataclass(frozen=True, slots=True)
class PooledLabel:
    """A label of a release; `label` is None where the pair is undecided, which is no zero.

    Where the release does not tell the label, `decided_by` is one of `WITHHELD` and `reason` says why.
    """

    query_id: str
    pair_id: str
    function_id: str
    label: Label | None
    decided_by: str
    reason: str
    reading: str
    score: float | None
    executed: bool | None
    self_reported: bool
    audit: int | None
    method_id: str
    record_digest: str


Row = PooledQuery | PooledCode | PooledLabel


def line_of(row: Row) -> bytes:
    """A row as one line of canonical JSON."""
    return canonical(asdict(row))


def key_of(part: str, row: Mapping[str, Any]) -> tuple[str, ...]:
    """What the rows of a part are ordered by; no two rows of a part share it."""
    match part:
        case "queries":
            return (row["query_id"],)
        case "codes":
            return (row["function_id"],)
        case _:
            return (row["query_id"], row["pair_id"])


def outcome_of(label: Label | None) -> str:
    """ "yes", "no" or "undecided"."""
    return UNDECIDED if label is None else ("yes" if label else "no")


def grade_of(row: Mapping[str, Any]) -> int | None:
    """How well a label is founded: 0 no, 1 yes by reading, 2 yes by tests that can fail or by people.

    None where the pair is undecided.
    """
    if row["label"] is None:
        return None
    return (2 if row["decided_by"] in ("execution", PERSON) else 1) if row["label"] else 0


@dataclass
class Tally:
    """Counts of a release while its rows go by, queries and codes before labels."""

    queries: int = 0
    codes: int = 0
    outcomes: Counter[str] = field(default_factory=Counter[str])
    answered: set[str] = field(default_factory=set[str])
    methods: set[str] = field(default_factory=set[str])
    by_language: Counter[str] = field(default_factory=Counter[str])
    by_licence: Counter[str] = field(default_factory=Counter[str])
    by_decider: Counter[str] = field(default_factory=Counter[str])

    def add(self, part: str, row: Mapping[str, Any]) -> None:
        """Count one row."""
        if part == "queries":
            self.queries += 1
        elif part == "codes":
            self.codes += 1
            self.by_language[row["language"]] += 1
            self.by_licence[row["licence"] or "unknown"] += 1
        else:
            self.outcomes[outcome_of(row["label"])] += 1
            self.methods.add(row["method_id"])
            self.by_decider[row["decided_by"]] += 1
            if row["label"]:
                self.answered.add(row["query_id"])

    @property
    def labels(self) -> int:
        """How many pairs there are, undecided ones among them."""
        return self.outcomes.total()

    def counts(self) -> Json:
        """How much there is of what."""
        return {
            "queries": self.queries,
            "queries_with_an_answer": len(self.answered),
            "codes": self.codes,
            "pairs": self.labels,
            **{outcome: self.outcomes[outcome] for outcome in ("yes", "no", UNDECIDED)},
            "codes_by_language": dict(sorted(self.by_language.items())),
            "codes_by_licence": dict(sorted(self.by_licence.items())),
            "pairs_by_decider": dict(sorted(self.by_decider.items())),
        }


@dataclass
class Changes:
    """What a release has that the one before has not, and the other way round."""

    added: Counter[str] = field(default_factory=Counter[str])
    removed: Counter[str] = field(default_factory=Counter[str])
    changed: Counter[str] = field(default_factory=Counter[str])
    judged_anew: int = 0
    listed: list[Json] = field(default_factory=list[Json])

    def add(self, part: str, before: Json | None, after: Json | None) -> None:
        """Take two rows of the same key; one of them is None where it stands on one side only."""
        if before is None:
            self.added[part] += 1
        elif after is None:
            self.removed[part] += 1
        elif part == "labels":
            self._compare(before, after)

    def _compare(self, before: Json, after: Json) -> None:
        was, now = outcome_of(before["label"]), outcome_of(after["label"])
        if was == now:
            self.judged_anew += before["record_digest"] != after["record_digest"]
            return
        self.changed[f"{was} to {now}"] += 1
        if len(self.listed) < LISTED:
            named = {name: after[name] for name in ("pair_id", "query_id", "function_id", "reason")}
            self.listed.append({**named, "was": was, "now": now, "by": after["decided_by"]})

    def to_dict(self) -> Json:
        """The changes as the manifest states them."""
        return {
            "added": {part: self.added[part] for part in PARTS},
            "removed": {part: self.removed[part] for part in PARTS},
            "labels_changed": dict(sorted(self.changed.items())),
            "labels_the_same_and_judged_anew": self.judged_anew,
            "changed": self.listed,
            "changed_and_not_listed": self.changed.total() - len(self.listed),
        }


def manifest_of(
    name: str, selection: Selection, tally: Tally, parts: Mapping[str, Iterable[Json]], since: Json | None
) -> Json:
    """The manifest of a release.

    Args:
        name: Its name.
        selection: What was asked for.
        tally: Counts of its rows.
        parts: For each of `PARTS` its portions in order: digest and number of rows.
        since: Name and digest of the release before with what changed; None for the first.
    """
    content: Json = {
        "format": FORMAT,
        "counts": tally.counts(),
        "methods": sorted(tally.methods),
        "parts": {part: list(parts[part]) for part in PARTS},
    }
    return {"name": name, "inputs": selection.to_dict(), "since": since, "digest": digest_of(content), **content}


def digest_of(manifest: Mapping[str, Any]) -> str:
    """The digest of what a release holds."""
    return sha256(canonical({name: manifest[name] for name in _DIGESTED}))


def selection_of(manifest: Mapping[str, Any]) -> Selection:
    """What a release was asked for, as its manifest states it."""
    inputs = cast("Json", manifest.get("inputs") or {})
    return Selection(**{name: tuple(inputs.get(name) or ()) for name in Selection.__dataclass_fields__})


class NotAManifestError(ValueError):
    """Some bytes are no manifest of a release that this version can read; the message says why."""


def read_manifest(data: bytes) -> Json:
    """Parse a manifest.

    Raises:
        NotAManifestError: it is none, or its digest is not the one of its content.
    """
    try:
        found: object = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise NotAManifestError(f"it is no JSON: {error}") from error
    content = cast("Json", found) if isinstance(found, dict) else {}
    if content.get("format") != FORMAT:
        raise NotAManifestError(f"its format is {content.get('format')!r}; this version reads {FORMAT!r}")
    try:
        computed = digest_of(content)
        for part in PARTS:
            _ = [(portion["digest"] + "", portion["rows"] + 0) for portion in content["parts"][part]]
        _ = [content["counts"].get(name, 0) + 0 for name in COUNTED]
        _ = selection_of(content).to_dict()
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise NotAManifestError(f"it lacks {error}") from error
    if computed != content.get("digest"):
        raise NotAManifestError(f"its content has the digest {computed}, it states {content.get('digest')}")
    return content


_TYPES: dict[str, tuple[type[Any], dict[str, tuple[type[Any], ...]]]] = {
    "queries": (PooledQuery, {}),
    "codes": (PooledCode, {"licence": (str, type(None))}),
    "labels": (
        PooledLabel,
        {
            "label": (int, type(None)),
            "score": (float, int, type(None)),
            "executed": (bool, type(None)),
            "self_reported": (bool,),
            "audit": (int, type(None)),
        },
    ),
}


def flaw_of(part: str, row: Json) -> str:
    """What is wrong with a row by itself; empty where nothing is.

    Example:
        >>> flaw_of("queries", {"query_id": "q", "text": 3})
        'text is 3'
        >>> flaw_of("queries", {"query_id": "q", "text": "sum a list"})
        "q is not the id of its words: 'sum a list'"
    """
    kind, others = _TYPES[part]
    names = set(kind.__dataclass_fields__)
    if set(row) != names:
        return f"it has {', '.join(sorted(set(row) ^ names))} too much or too little"
    for name in sorted(names):
        if not isinstance(row[name], others.get(name, (str,))):
            return f"{name} is {row[name]!r}"
        if name.endswith("_id") and row[name].split() != [row[name]]:
            return f"{name} is {row[name]!r}, which no table of labels can hold"
    # Stores keep no NUL; the id is that of the words as they came.
    if part == "queries" and row["query_id"] not in map(query_id, (row["text"], row["text"].replace("\ufffd", "\0"))):
        return f"{row['query_id']} is not the id of its words: {row['text'][:_SHOWN]!r}"
    if part != "labels":
        return ""
    if row["label"] not in (0, 1, None) or type(row["label"]) is bool:
        return f"label is {row['label']!r}"
    if row["pair_id"] != pair_id(row["query_id"], row["function_id"]):
        return f"{row['pair_id']} is not the pair of its query and code"
    return ""
