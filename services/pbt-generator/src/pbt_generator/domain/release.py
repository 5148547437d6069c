"""A release: a frozen set of tasks, described by a manifest whose digest depends on nothing but the tasks.

The manifest is canonical JSON. What lies outside of the digest: the release's name, the inputs of its creation and
which of its sources others do not get, which are in the manifest for people, and the moment of its creation, which is
not in it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any, cast

from pbt_generator.domain.task.record import BuiltTask
from touchstone_contracts.licences import licence_of
from touchstone_contracts.manifests import canonical, sha256
from touchstone_contracts.task_releases import FORMAT, builders_of, counts_of, differences, digest_of, flaws_of
from touchstone_runtime.bands import USUAL, band_of
from touchstone_runtime.source_kinds import BENCHMARK, own_sources
from touchstone_runtime.wordings import wording_built

# What of a task lies in the blob store, in the order in which it is checked.
PARTS = ("record", "ground_truth", "suite", "certificate")
_DAY = re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])")

Json = dict[str, Any]


@dataclass(frozen=True)
class Selection:
    """Which tasks a release takes.

    Attributes:
        kind: SC or WSC; empty takes both.
        languages: Only tasks certified in all of these.
        since: Only code of this day or later, YYYY-MM-DD; empty takes any.
        task_ids: Whole ids; empty takes all that match.
        band: "usual" or "hard", by the complexity of the code; empty is "usual" where no task is named.
    """

    kind: str = ""
    languages: tuple[str, ...] = ()
    since: str = ""
    task_ids: tuple[str, ...] = ()
    band: str = ""

    def to_dict(self) -> Json:
        """The inputs of the creation, as the manifest states them."""
        return {
            "kind": self.kind or None,
            "languages": sorted(set(self.languages)),
            "since": self.since or None,
            "task_ids": sorted(set(self.task_ids)),
        } | ({"band": self.band} if self.band else {})

    @classmethod
    def of(cls, inputs: Mapping[str, Any]) -> Selection:
        """The selection that a manifest states."""
        return cls(
            str(inputs["kind"] or ""),
            tuple(map(str, inputs["languages"])),
            str(inputs["since"] or ""),
            tuple(map(str, inputs["task_ids"])),
            str(inputs.get("band") or ""),
        )

    def refuses(self, task: BuiltTask, function: Mapping[str, Any]) -> str:
        """Why a task is left out; empty when it is taken."""
        band = self.band or ("" if self.task_ids else USUAL)
        return replace(self, band=band).excludes(task.kind, task.languages, function)

    def excludes(self, kind: str, languages: Collection[str], function: Mapping[str, Any]) -> str:
        """Why a task does not belong to a release for which this was asked; of no band where none is stated."""
        if self.kind and kind != self.kind:
            return f"it is {kind}"
        missing = sorted(set(self.languages) - set(languages))
        if missing:
            return f"it is not certified in {', '.join(missing)}"
        band = band_of(int(function.get("complexity") or 0))
        if self.band not in ("", band):
            return f"it is in the {band} band"
        if self.since:
            day = day_of(function)
            if day < self.since:
                return f"its code is of {day}" if day else "the date of its code is not known"
        return ""


@dataclass(frozen=True)
class ReleasedTask:
    """A task of a release with everything that its blobs say.

    Attributes:
        entry: Its lines in the manifest.
        record: What the generator and the ingester know of it.
        certificate: What was proved of its suite.
        source: The ground truth.
        comparison: "portable" or "exact".
        cases: Arguments and expected results, as portable texts, in the suite's order.
        suite: The frozen suite, as it lies in the blob store.
        retracted: Why it was taken back; empty while it stands.
    """

    entry: Json
    record: Json
    certificate: Json
    source: str
    comparison: str
    cases: tuple[tuple[str, str], ...]
    suite: bytes
    retracted: str = ""

    @property
    def imported(self) -> bool:
        """Whether it is somebody else's task, of which nothing but its ground truth's results is proved."""
        return self.entry["source"]["kind"] == BENCHMARK

    @property
    def wording(self) -> str:
        """By which of the two kinds of words it is scored: "described" or "by_example"."""
        return wording_built(self.record["task"].get("track", ""), self.entry["source"]["kind"])


def is_day(text: str) -> bool:
    """Whether a text is a date as `--since` takes it."""
    return _DAY.fullmatch(text) is not None


def appeared(function: Mapping[str, Any]) -> str:
    """When a function's code appeared, else its last change, else its release; empty when nothing is known.

    A later date would call code new that models may have seen.
    """
    return str(function.get("first_seen") or function.get("changed_at") or function["source"].get("released_at") or "")


def moment_of(text: str | None) -> datetime | None:
    """A moment as a record writes it; one without a zone is UTC's."""
    if not text:
        return None
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def day_of(function: Mapping[str, Any]) -> str:
    """The day on which a function's code appeared."""
    return appeared(function)[:10]


def record_of(task: BuiltTask, function: Mapping[str, Any]) -> Json:
    """Everything that is known of a task but what its making happened to cost."""
    content = asdict(task)
    del content["cpu_s"]
    return json.loads(canonical({"task": content, "function": dict(function)}))


def entry_of(record: Json, certificate: Mapping[str, Any]) -> Json:
    """A task's lines in the manifest."""
    task, function = record["task"], record["function"]
    source = function["source"]
    return {
        "task_id": task["task_id"],
        "function_id": task["function_id"],
        "entry_point": task["entry_point"],
        "kind": task["kind"],
        "difficulty": task["difficulty"],
        "judged_by": task["judged_by"],
        "languages": sorted(task["languages"]),
        "builder": certificate["builder"],
        "cases": task["cases"],
        "branch_coverage": task["branch_coverage"],
        "mutation_score": task["mutation_score"],
        "licence": licence_of(function),
        "source": {
            "kind": source["kind"],
            "name": source["name"],
            "version": source["version"],
            "revision": source["version"] if source["kind"] == "git" else None,
            "released_at": source.get("released_at"),
            "changed_at": function.get("changed_at"),
            "path": function["path"],
            "qualname": function["qualname"],
            "line_start": function["line_start"],
            "line_end": function["line_end"],
        },
        "digests": {
            "record": sha256(canonical(record)),
            "ground_truth": task["ground_truth_digest"],
            "suite": task["suite_digest"],
            "certificate": task["certificate_digest"],
        },
    }


def manifest_of(name: str, selection: Selection, entries: Iterable[Json]) -> Json:
    """The manifest of a release; the order of the entries does not matter."""
    tasks = sorted(entries, key=lambda entry: str(entry["task_id"]))
    content: Json = {
        "format": FORMAT,
        "builders": builders_of(tasks),
        "counts": counts_of(tasks),
        "tasks": tasks,
    }
    own = own_sources(entry["source"] for entry in tasks)
    # Only where there are any: of the same tasks the manifest of before has the same bytes.
    told: Json = {"own_sources": own} if own else {}
    return {"name": name, "inputs": selection.to_dict(), "digest": digest_of(content), **content, **told}


def faults_of(manifest: Json) -> list[str]:
    """Where a manifest says something else than its own tasks, or than what was asked for, one line each."""
    faults = flaws_of(manifest)
    try:
        own = own_sources(entry["source"] for entry in manifest["tasks"])
        # A manifest from before says nothing of them.
        faults += differences({"own_sources": manifest.get("own_sources", own)}, {"own_sources": own})
        named = Selection.of(manifest["inputs"]).task_ids
        ids = {str(entry["task_id"]) for entry in manifest["tasks"]}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        return [*faults, f"what was asked for is not laid out as it is: {type(error).__name__}: {error}"]
    faults += [f"task {task_id} was asked for, and is not in it" for task_id in sorted(set(named) - ids)]
    return faults + [
        f"task {task_id} is in it, and others were asked for" for task_id in sorted(ids - set(named or ids))
    ]


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
        for entry in content["tasks"]:
            _ = entry["task_id"], entry["entry_point"], [entry["digests"][part] for part in PARTS]
            _ = [str(language) for language in entry["languages"]]
    except (KeyError, TypeError, ValueError) as error:
        raise NotAManifestError(f"it lacks {error}") from error
    if computed != content.get("digest"):
        raise NotAManifestError(f"its content has the digest {computed}, it states {content.get('digest')}")
    return content
