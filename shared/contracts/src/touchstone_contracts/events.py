"""The event of every topic. Field meanings are part of the contract; change them only with a new version."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from touchstone_contracts.envelope import Event, Frozen

Kind = Literal["SC", "WSC"]
Difficulty = Literal["Easy", "Medium", "Hard"]


class SourceRef(Frozen):
    """One version of one source."""

    source_id: str
    source_version_id: str
    kind: Literal["package", "git", "folder", "archive"]
    name: str
    version: str
    licence: str = ""
    released_at: datetime | None = None


class Parameter(Frozen):
    """One parameter of a function; `annotation` and `default` are source text, empty when absent."""

    name: str
    kind: Literal["positional_only", "positional", "var_positional", "keyword_only", "var_keyword"] = "positional"
    annotation: str = ""
    default: str | None = None


class Function(Frozen):
    """A function as it stands in a source.

    `code` is dedented source text with decorators. `imports` lists exactly the import statements
    that the function needs to run alone (WSC); it is empty for SC.
    """

    function_id: str
    source: SourceRef
    language: str = "python"
    path: str
    qualname: str
    name: str
    line_start: int
    line_end: int
    form: Literal["function", "method", "nested", "class"] = "function"
    code: str
    docstring: str = ""
    parameters: tuple[Parameter, ...] = ()
    returns: str = ""
    decorators: tuple[str, ...] = ()
    enclosing_class: str = ""
    file_imports: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    # True for a WSC function whose imports serve annotations alone: its body needs nothing, so it may be judged as SC.
    annotation_only: bool = False
    changed_at: datetime | None = None
    classification: Literal["SC", "WSC", "DISCARDED", "NOT_CLASSIFIED"] = "NOT_CLASSIFIED"
    complexity: int = 0
    # The filter that rejected it as a task candidate, with its words; empty for a candidate.
    rejected_by: str = ""
    rejection: str = ""
    # CoSQA+ corpus filter: at least one parameter and a returned value.
    searchable_pair: bool = False


class SourceRequested(Event):
    """Somebody wants one pass over a source."""

    source_id: str
    # A fresh value asks for a fresh look at the index; the same value is the same request.
    request_id: str


class SourceIngested(Event):
    """One pass over a source is done; counts by stage and reason."""

    source: SourceRef
    state: Literal["ingested", "outside_window", "failed", "unchanged"]
    detail: str = ""
    files: int = 0
    functions: int = 0
    candidates: int = 0
    classes: int = 0
    reasons: dict[str, int] = Field(default_factory=dict)


class FunctionExtracted(Event):
    """A function was found; `task_candidate` says that it passed every filter."""

    function: Function
    task_candidate: bool = False


class Vector(Frozen):
    """`data` is base64 of little-endian float32, L2-normalised."""

    model: str
    dimensions: int
    data: str


class FunctionEmbedded(Event):
    """A function has its vectors; carries the function, so that an index needs nobody else's tables."""

    function: Function
    vectors: tuple[Vector, ...]


class TaskBuilt(Event):
    """A task is released: its suite is frozen and its oracle certified."""

    task_id: str
    function: Function
    kind: Kind
    difficulty: Difficulty
    judged_by: str = "heuristic"
    entry_point: str
    instruction: str
    # Signature text per target language.
    signatures: dict[str, str] = Field(default_factory=dict)
    # What a Python candidate is given before its own code (WSC: the record's imports).
    prelude: str = ""
    suite_digest: str
    certificate_digest: str
    cases: int
    branch_coverage: float
    mutation_score: float = -1.0
    cpu_s: float = 0.0


class TaskRefused(Event):
    """A candidate got no task, and why."""

    function_id: str
    qualname: str
    source_name: str
    kind: Kind
    reason: str
    detail: str = ""


class TaskRetracted(Event):
    """A released task was wrong; every score without it is recomputed."""

    task_id: str
    reason: str


class ModelSpec(Frozen):
    """Which model, where; `base_url` empty means the catalogue's own."""

    name: str
    base_url: str = ""


class SolutionRequested(Event):
    """One model shall solve one task in one run."""

    run_id: str
    task_id: str
    model: ModelSpec
    strategy: Literal["direct", "cocost"] = "direct"
    language: str = "python"


class Usage(Frozen):
    """What asking a model took."""

    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    cost_usd: float = 0.0
    calls: int = 0


class SolutionGenerated(Event):
    """A model answered; `code` is what was extracted from the answer, prelude included."""

    solution_id: str
    run_id: str
    task_id: str
    model: ModelSpec
    strategy: str
    language: str
    entry_point: str
    code: str
    suite_digest: str
    usage: Usage = Usage()


class CaseFailure(Frozen):
    """One failed case: `outcome` is `wrong_output` or a sandbox outcome in lower case."""

    index: int
    outcome: str
    detail: str = ""


class VerdictReached(Event):
    """A solution was judged on every case."""

    verdict_id: str
    solution_id: str
    run_id: str
    task_id: str
    # "passed" or the outcome of the first failed case.
    outcome: str
    cases: int
    passed: int
    failures: tuple[CaseFailure, ...] = ()
    wall_s: float = 0.0
    cpu_s: float = 0.0
    memory_bytes: int = 0


class QueryImported(Event):
    """A search query came in; candidates shall be proposed for it."""

    query_id: str
    text: str
    origin: str = ""
    candidates: int = 20


class PairProposed(Event):
    """A query and a candidate code, not yet judged."""

    pair_id: str
    query_id: str
    query: str
    function: Function
    rank: int
    # Mean cosine similarity over the models.
    score: float


class PairLabelled(Event):
    """A pair has its label; the whole record lies in the blob store under `record_digest`."""

    pair_id: str
    query_id: str
    function_id: str
    label: Literal[0, 1]
    reason: str
    record_digest: str
    self_reported: bool = True
    usage: Usage = Usage()


class DeadLetter(Event):
    """A message that could not be handled, and why; `body` is the message as it came (base64)."""

    topic: str
    partition: int
    offset: int
    key: str = ""
    body: str
    headers: dict[str, str] = Field(default_factory=dict)
    service: str
    reason: str
    exception: str = ""
    attempts: int = 1
