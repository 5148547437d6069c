"""Every topic by name, with its event and its key; the cards in `topics/` say the rest."""

from __future__ import annotations

from dataclasses import dataclass

from touchstone_contracts import events
from touchstone_contracts.envelope import Event


@dataclass(frozen=True)
class Topic:
    """A topic: name, event model, the event field whose value is the message key, who reads it, partitions.

    A message stays as long as one of its consumers has not handled it, and `retention_days` after it was sent. A
    compacted topic keeps the last message of each key for ever, and those before it for the broker's own while.
    """

    name: str
    event: type[Event]
    key: str
    consumers: tuple[str, ...]
    partitions: int = 4
    retention_days: int = 30
    compacted: bool = False

    @property
    def dead_letters(self) -> str:
        """Name of the topic that takes what could not be handled."""
        return f"{self.name}.dlq"

    def group(self, service: str) -> str:
        """The consumer group that a service is on this topic."""
        return f"touchstone.{service}.{self.name.removeprefix('touchstone.')}"


# One partition: of two functions alike the first to come becomes the task, so passes keep one order on every replay.
SOURCE_REQUESTED = Topic(
    "touchstone.source.requested.v1", events.SourceRequested, "source_id", ("ingester",), partitions=1, retention_days=7
)
# With what stands in each version ever read and the last word on each function, an index that was lost is built again.
SOURCE_INGESTED = Topic(
    "touchstone.source.ingested.v1", events.SourceIngested, "source.source_id", ("retriever",), retention_days=3650
)
FUNCTION_EXTRACTED = Topic(
    "touchstone.function.extracted.v1", events.FunctionExtracted, "function.function_id", ("embedder", "pbt-generator")
)
FUNCTION_EMBEDDED = Topic(
    "touchstone.function.embedded.v1", events.FunctionEmbedded, "function.function_id", ("retriever",), compacted=True
)
TASK_BUILT = Topic("touchstone.task.built.v1", events.TaskBuilt, "task_id", ("evaluator",), retention_days=365)
TASK_REFUSED = Topic("touchstone.task.refused.v1", events.TaskRefused, "function_id", ("ingester",))
TASK_RETRACTED = Topic(
    "touchstone.task.retracted.v1", events.TaskRetracted, "task_id", ("evaluator",), retention_days=365
)
SOLUTION_REQUESTED = Topic(
    "touchstone.solution.requested.v1", events.SolutionRequested, "task_id", ("evaluator",), retention_days=7
)
RUN_CHANGED = Topic("touchstone.run.changed.v1", events.RunChanged, "run_id", ("evaluator",), retention_days=365)
SOLUTION_GENERATED = Topic(
    "touchstone.solution.generated.v1", events.SolutionGenerated, "solution_id", ("sandbox-executor",)
)
VERDICT_REACHED = Topic(
    "touchstone.verdict.reached.v1", events.VerdictReached, "solution_id", ("evaluator",), retention_days=365
)
QUERY_IMPORTED = Topic("touchstone.query.imported.v1", events.QueryImported, "query_id", ("retriever",))
PAIR_PROPOSED = Topic("touchstone.pair.proposed.v1", events.PairProposed, "pair_id", ("annotator",))
PAIR_LABELLED = Topic("touchstone.pair.labelled.v1", events.PairLabelled, "pair_id", ("evaluator",), retention_days=365)

TOPICS: tuple[Topic, ...] = (
    SOURCE_REQUESTED,
    SOURCE_INGESTED,
    FUNCTION_EXTRACTED,
    FUNCTION_EMBEDDED,
    TASK_BUILT,
    TASK_REFUSED,
    TASK_RETRACTED,
    SOLUTION_REQUESTED,
    RUN_CHANGED,
    SOLUTION_GENERATED,
    VERDICT_REACHED,
    QUERY_IMPORTED,
    PAIR_PROPOSED,
    PAIR_LABELLED,
)


def key_of(topic: Topic, event: Event) -> bytes:
    """The message key of an event on a topic."""
    value: object = event
    for field in topic.key.split("."):
        value = getattr(value, field)
    return str(value).encode()
