"""The event of every topic. Field meanings are part of the contract; change them only with a new version."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from touchstone_contracts.envelope import OPEN, Event, Frozen, Moment

Kind = Annotated[Literal["SC", "WSC"], OPEN]
Difficulty = Annotated[Literal["Easy", "Medium", "Hard"], OPEN]


class SourceRef(Frozen):
    """One version of one source."""

    source_id: str
    source_version_id: str
    # "benchmark": somebody else's set of tasks, imported as it is.
    kind: Annotated[Literal["package", "git", "folder", "archive", "benchmark"], OPEN]
    name: str
    version: str
    licence: str = ""
    released_at: Moment | None = None
    # Blob with the version's own tests, a zip archive; empty where it brings none, or nobody kept them.
    tests_digest: str = ""


class Parameter(Frozen):
    """One parameter of a function; `annotation` and `default` are source text, empty when absent."""

    name: str
    kind: Annotated[Literal["positional_only", "positional", "var_positional", "keyword_only", "var_keyword"], OPEN] = (
        "positional"
    )
    annotation: str = ""
    default: str | None = None


class Dating(Frozen):
    """How it is known when a function's code appeared.

    `version` is the first version that may hold the code, `absent_from` the newest one before it that was read and
    lacks it, `looked_at` how many earlier versions were read. With `at_latest` versions were left unread, and the code
    may be of a later one; where it is older than the window of its source, it may be older still.
    """

    by: Annotated[Literal["release", "history", "file_time", "nothing"], OPEN] = "nothing"
    version: str = ""
    absent_from: str = ""
    looked_at: int = 0
    at_latest: bool = False


class Part(Frozen):
    """A definition that a slice took along: where it stands, and the licence of its file.

    `path` is empty in events of the time when slices were of one file. A file that names no licence has the source's.
    """

    kind: Annotated[Literal["function", "class", "constant"], OPEN]
    name: str
    line_start: int = 0
    line_end: int = 0
    path: str = ""
    licence: str = ""


class Function(Frozen):
    """A function as it stands in a source.

    `code` is dedented source text with decorators. `imports` lists exactly the import statements
    that the function needs to run alone (WSC); it is empty for SC. A function of the form "slice" comes
    beside the one that it was cut from: its `code` holds the definitions that it needs of its own package too. A method
    of the form "record" comes beside the method: its `code` is a function of the fields that the method reads. A class
    of the form "sequence" comes beside the class: its `code` ends in a function of a list of operations on an object.
    """

    function_id: str
    source: SourceRef
    language: str = "python"
    path: str
    qualname: str
    name: str
    line_start: int
    line_end: int
    form: Annotated[Literal["function", "method", "nested", "class", "slice", "record", "sequence"], OPEN] = "function"
    code: str
    docstring: str = ""
    parameters: tuple[Parameter, ...] = ()
    returns: str = ""
    decorators: tuple[str, ...] = ()
    enclosing_class: str = ""
    file_imports: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    # True for a WSC function whose imports serve annotations alone, or the copies that a sequence makes of results: its
    # body needs nothing, so it may be judged as SC.
    annotation_only: bool = False
    changed_at: Moment | None = None
    # When its code appeared, and the evidence; only candidates are dated.
    first_seen: Moment | None = None
    dating: Dating = Dating()
    classification: Annotated[Literal["SC", "WSC", "DISCARDED", "NOT_CLASSIFIED"], OPEN] = "NOT_CLASSIFIED"
    complexity: int = 0
    # The filter that rejected it as a task candidate, with its words; empty for a candidate.
    rejected_by: str = ""
    rejection: str = ""
    # CoSQA+ corpus filter: at least one parameter and a returned value.
    searchable_pair: bool = False
    # What a slice took along, in the order of its code.
    parts: tuple[Part, ...] = ()
    # How the source's own tests call it: source texts whose arguments are literals.
    calls: tuple[str, ...] = ()


class SourceRequested(Event):
    """Somebody wants one pass over a source."""

    source_id: str
    # A fresh value asks for a fresh look at the index; the same value is the same request.
    request_id: str


class SourceIngested(Event):
    """One pass over a source is done; counts by stage and reason."""

    source: SourceRef
    state: Annotated[Literal["ingested", "outside_window", "failed", "unchanged"], OPEN]
    detail: str = ""
    files: int = 0
    functions: int = 0
    candidates: int = 0
    classes: int = 0
    reasons: dict[str, int] = Field(default_factory=dict)
    # Blob with the places of all functions and classes that this version published, as JSON: [[path, qualname], ...].
    # What stood in an earlier version and is not among them was removed, renamed or moved. Empty: not said.
    standing_digest: str = ""


class FunctionExtracted(Event):
    """A function was found; `task_candidate` says that it passed every filter."""

    function: Function
    task_candidate: bool = False


class Vector(Frozen):
    """`data` is base64 of little-endian float32, L2-normalised; `identity` is the model's name and weights' digest."""

    model: str
    identity: str = ""
    dimensions: int
    data: str


class FunctionEmbedded(Event):
    """A function has its vectors; carries the function, so that an index needs nobody else's tables."""

    function: Function
    vectors: tuple[Vector, ...]
    # The way in which the code became the models' text; with the models' identities it makes an index generation.
    text_form: str = ""


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
    # "described" where the words suffice by stated rules, else "by_example"; `gaps` says what they lack. Scored apart.
    track: str = ""
    gaps: tuple[str, ...] = ()
    # Cases whose input the documentation or the source's own tests give; the others are inferred.
    real_cases: int = 0
    # What the cases show of every parameter, in words.
    domain: dict[str, str] = Field(default_factory=dict)


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


class TaskSetRef(Frozen):
    """Which tasks a run has: `digest` is the key in the blob store of the sorted list of ids, canonical JSON."""

    digest: str
    kind: Annotated[Literal["release", "sample", "named", "all"], OPEN]
    # For people; `release` is the release's digest where the set is one.
    name: str = ""
    count: int = 0
    release: str = ""


class RunSpecification(Frozen):
    """Everything that decides what a run asks; its hash (names and endpoint left out) is the run's id."""

    tasks: TaskSetRef
    language: str
    strategy: str
    variant: str = ""
    # Every bound of the strategy, by name.
    bounds: dict[str, int] = Field(default_factory=dict)
    model: str
    endpoint: str
    model_digest: str = ""
    samples: int = 1
    temperature: float = 0.0
    # Sample k is asked for with a seed made of this one, plus k; without a bound `seeding` with this one plus k.
    seed: int = 0
    prompts: str = ""
    # Digest of submitted answers, their key in the blob store; empty where the model is asked.
    answers: str = ""
    # What is asked of each task; empty where it is to write the function.
    track: str = ""


class SolutionRequested(Event):
    """One model shall answer one task in one run."""

    run_id: str
    task_id: str
    model: ModelSpec
    strategy: str = "direct"
    language: str = "python"
    # Number of the answer, from 0.
    sample: int = 0
    # The whole specification of the run, so that an empty store makes the same run of it.
    spec: RunSpecification | None = None
    # Number of the last change of the run (`RunChanged`) that whoever asked knew: what came later may hold it.
    after_change: int = 0


class TouchedAnswer(Frozen):
    """An answer that a change of its run touches; `answered`: its model had answered, and a verdict was to come."""

    task_id: str
    sample: int = 0
    answered: bool = False


class RunChanged(Event):
    """Somebody changed what a run asks for, or whether it counts.

    Changes of a run are numbered from 1, and the highest number holds; a deletion holds whatever comes. Of a change
    with many answers each event names some, under a number of its own.
    """

    run_id: str
    number: int
    change: Annotated[Literal["withdrawn", "restored", "paused", "resumed", "cancelled", "deleted"], OPEN]
    # Of a withdrawal, for everybody to read.
    reason: str = ""
    # "paused": answers that wait now. "cancelled": answers that were ended, outside every score.
    answers: tuple[TouchedAnswer, ...] = ()
    # The whole specification of the run, of which nothing may have been asked yet; null of one that was deleted.
    spec: RunSpecification | None = None


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
    # Number of the answer, from 0.
    sample: int = 0
    # 0 the first time; a solution is judged once for each number: again, with a public note, after a mended judge.
    judging: int = 0
    judging_note: str = ""


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
    # Version of the verdict, as the request numbered it: the highest one counts, and the others are kept.
    judging: int = 0
    judging_note: str = ""


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
    # By retriever the place that it alone gave the code, 0 where the code is not among those asked for; empty in old
    # events.
    places: dict[str, int] = Field(default_factory=dict)


# A label that is neither yes nor no: whoever keeps labels drops the one that the pair had before.
UNDECIDED: Literal[-1] = -1


class PairLabelled(Event):
    """What the label of a pair is now; the whole record lies in the blob store under `record_digest`.

    `label` is 1 for yes, 0 for no, and -1 where the pair is undecided: it has no label then, also if it had one before.
    """

    pair_id: str
    query_id: str
    function_id: str
    label: Annotated[Literal[-1, 0, 1], OPEN]
    reason: str
    record_digest: str
    self_reported: bool = True
    usage: Usage = Usage()
    # Whose word the label is: "screener", "execution", "arbiter", "single", "person"; empty in old events.
    decided_by: str = ""
    # Whether every test ended as an execution; null where nothing was to run.
    executed: bool | None = None
    # Calibrated probability that the code answers the query; null where nothing calibrates.
    score: float | None = None
    method_id: str = ""
    # The second agent's own label.
    audit: Annotated[Literal[0, 1], OPEN] | None = None
    # The meaning of the query under which the label holds.
    reading: str = ""


class DeadLetter(Event):
    """A message that could not be handled, and why.

    `body` is the message as it came (base64); where a letter would be too large for that, `body_digest` is its key in
    the blob store.
    """

    topic: str
    partition: int
    offset: int
    key: str = ""
    body: str
    body_digest: str = ""
    headers: dict[str, str] = Field(default_factory=dict)
    service: str
    reason: str
    exception: str = ""
    attempts: int = 1
