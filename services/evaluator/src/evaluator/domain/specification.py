"""What a run is: everything that decides what is asked and judged, fixed before the first question."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Literal

from evaluator.domain.tasks import Task
from evaluator.errors import BadSpecificationError
from touchstone_runtime.tracks import EXERCISE

# Among the bounds of a run: how many runs like it were deleted before. None of their answers is one of this run.
ASKED_ANEW = "asked_anew"
# Among the bounds of a run above temperature 0: how the seeds of its samples are made. One of before has none.
SEEDING = "seeding"
SEEDING_VERSION = 1
# A run is read whole, at about 2 kB an answer.
MOST_ANSWERS = 200_000
# Characters of a specification as JSON, which each request for an answer carries: ours have about a thousand.
MOST_SPECIFIED = 16_384
SetKind = Literal["release", "sample", "named", "all"]


@dataclass(frozen=True)
class TaskSet:
    """Which tasks a run has; a retracted one stays in the set and counts nowhere.

    Attributes:
        digest: SHA-256 of `ids_text`; empty for runs that were started before runs had specifications.
        name: For people: the release's name, or how the set was chosen.
        release: Digest of the release that the tasks are of; empty for other kinds.
    """

    digest: str = ""
    kind: SetKind = "all"
    name: str = ""
    count: int = 0
    release: str = ""


def ids_text(task_ids: Iterable[str]) -> bytes:
    """The canonical list of a set's ids, whose SHA-256 is the set's digest."""
    return json.dumps(sorted(set(task_ids)), separators=(",", ":")).encode()


def task_set(kind: SetKind, name: str, task_ids: Iterable[str], release: str = "") -> TaskSet:
    """Fix a set of tasks.

    Example:
        >>> task_set("named", "two", ["b", "a"]).digest == task_set("named", "same", ["a", "b", "a"]).digest
        True
    """
    text = ids_text(task_ids)
    return TaskSet(hashlib.sha256(text).hexdigest(), kind, name, len(json.loads(text)), release)


@dataclass(frozen=True)
class Sampling:
    """How a model is asked: temperature 0 is greedy, one answer; else `seed` tells samples apart.

    Attributes:
        anew: How often these questions were asked before and their answers thrown away: none of those is an answer now.
    """

    temperature: float = 0.0
    seed: int = 0
    anew: int = 0


@dataclass(frozen=True)
class RunSpec:
    """One model with one strategy in one language over one set of tasks.

    Attributes:
        strategy: Name of a strategy.
        variant: What the strategy leaves out, for an ablation; empty is the whole strategy.
        bounds: Every bound of the strategy, by name, sorted.
        model: Identity of the model, for people.
        endpoint: What the model was asked for by: a catalogue name or `name@base_url`. Where it happens to listen
            decides nothing, so the endpoint is carried and not hashed.
        model_digest: Digest of the model's weights, where the catalogue knows it.
        samples: Answers for each task.
        seed: Sample k is asked for with a seed made of this one, plus k: runs of other seeds share no answer. One of
            before that way, without the bound `SEEDING`, is asked with this very seed plus k.
        prompts: Versions of the prompts that the strategy uses.
        answers: Digest of the answers that were submitted; empty where the model is asked.
        track: What is asked of each task; empty where it is to write the function.
    """

    tasks: TaskSet
    language: str
    strategy: str
    variant: str
    model: str
    endpoint: str
    prompts: str = ""
    bounds: tuple[tuple[str, int], ...] = field(default=())
    model_digest: str = ""
    samples: int = 1
    temperature: float = 0.0
    seed: int = 0
    answers: str = ""
    track: str = ""

    @property
    def label(self) -> str:
        """Strategy with its variant, and what is asked where that is not the usual."""
        label = f"{self.strategy}:{self.variant}" if self.variant else self.strategy
        return f"{label} ({self.track})" if self.track else label

    @property
    def greedy(self) -> bool:
        """Whether each task is answered once, with the likeliest answer."""
        return self.temperature == 0.0 and self.samples == 1

    @property
    def exercise(self) -> int:
        """Version of the making of its track's exercises; 0 where it has none, or is of before they had one."""
        return self.bound(EXERCISE, 0)

    def sampling(self, sample: int) -> Sampling:
        """How the answer of this number is asked for."""
        first = _far_from_others(self.seed) if self.bound(SEEDING, 0) else self.seed
        return Sampling(self.temperature, first + sample, self.bound(ASKED_ANEW, 0))

    def bound(self, name: str, default: int) -> int:
        """A bound of the strategy; the default where a run of before specifications has none."""
        return dict(self.bounds).get(name, default)

    def identity(self) -> list[object]:
        """What the run's id is a hash of: everything but names for people and where the model listens."""
        facts: list[object] = [self.tasks.digest, self.tasks.release, self.language, self.strategy, self.variant]
        facts += [self.model, self.model_digest, self.prompts, sorted(self.bounds)]
        facts += [self.samples, self.temperature, self.seed]
        # What was added later stands in the hash only where it says something: older runs keep their ids.
        facts += [self.answers] if self.answers else []
        return [*facts, "track", self.track] if self.track else facts


def _far_from_others(seed: int) -> int:
    """The first seed of a run's samples: all of them lie within 31 bits, as endpoints take them."""
    return int.from_bytes(hashlib.sha256(str(seed).encode()).digest()[:4]) >> 2


def spread(tasks: Sequence[Task], size: int, seed: int) -> list[Task]:
    """A sample of tasks, spread over packages and kinds.

    Every package and kind gives one task before any gives a second. Which ones is decided by hashes of the seed and
    of ids, so neither the order of arrival nor a clock has a part in it, and a larger sample holds the smaller one.

    Args:
        tasks: Those to choose from.
        size: How many, at most.
        seed: Another seed is another sample.
    """

    def draw(*names: str) -> str:
        return hashlib.sha256("\x00".join([str(seed), *names]).encode("utf-8", "surrogatepass")).hexdigest()

    groups: dict[tuple[str, str], list[Task]] = {}
    for task in sorted(tasks, key=lambda task: draw("task", task.task_id)):
        groups.setdefault((task.source, task.kind), []).append(task)
    places = [
        (round_, draw("group", *group), task)
        for group, members in groups.items()
        for round_, task in enumerate(members)
    ]
    return [task for _, _, task in sorted(places, key=lambda place: place[:2])][:size]


def demand_short(spec: RunSpec) -> None:
    """Refuse a specification that is too long to be carried by each request of its run.

    Raises:
        BadSpecificationError: it is; what is long, as the address of a model may be, was written by the caller.
    """
    length = len(json.dumps(asdict(spec)))
    if length > MOST_SPECIFIED:
        texts = {name: value for name, value in asdict(spec).items() if isinstance(value, str)}
        longest = max(texts, key=lambda name: len(texts[name]))
        raise BadSpecificationError(
            f"what a run asks for takes {length:,} characters, and {MOST_SPECIFIED:,} at most go with each question",
            thing=f"{longest} {texts[longest][:80]}",
            way_out="name the model by fewer characters: an entry of models.toml has a short name",
        )
