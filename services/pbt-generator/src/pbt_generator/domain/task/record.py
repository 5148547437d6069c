"""What goes into the builder and what comes out, as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from pbt_generator.domain.inputs.traced import Seen

Kind = Literal["SC", "WSC"]
Difficulty = Literal["Easy", "Medium", "Hard"]


@dataclass(frozen=True)
class Subject:
    """A ground truth as it was extracted.

    Attributes:
        function_id: Id of the function in its source version.
        name: The function's own name, and the task's entry point.
        qualname: Name with its enclosing scopes.
        kind: SC or WSC.
        code: Dedented source text with decorators.
        imports: Import statements that it needs to run alone.
        libraries: Library modules that it uses.
        docstring: Its docstring, dedented.
        complexity: Cyclomatic complexity.
        source_name: Package or repository, for people.
        form: "slice" for a function with what it needs of its own package.
        calls: How its source's own tests call it, with literal arguments.
        seen: How it was called while its package's tests ran.
    """

    function_id: str
    name: str
    qualname: str
    kind: Kind
    code: str
    imports: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    docstring: str = ""
    complexity: int = 0
    source_name: str = ""
    form: str = "function"
    calls: tuple[str, ...] = ()
    seen: Seen = field(default_factory=Seen)


# A task that took another one's place has a version of the builder of its own: the builder's, this, the old task's id.
AMENDED = "+"


def amended_version(builder: str, task_id: str) -> str:
    """The version of the builder under which the successor of a task is kept: a task has one, whoever makes it.

    Args:
        builder: The version that built the first of them, or under which the one that is replaced is kept.
        task_id: The one that is replaced.

    Example:
        >>> amended_version("pbt-1", "0123456789abcdef0123456789abcdef")
        'pbt-1+0123456789abcdef'
        >>> amended_version("pbt-1+0123456789abcdef", "fedcba98765432100123456789abcdef")
        'pbt-1+fedcba9876543210'
    """
    return f"{builder.partition(AMENDED)[0]}{AMENDED}{task_id[:16]}"


@dataclass(frozen=True)
class BuiltTask:
    """A released task; suite, certificate and ground truth lie in the blob store under their digests."""

    task_id: str
    function_id: str
    kind: Kind
    difficulty: Difficulty
    judged_by: str
    entry_point: str
    instruction: str
    signatures: dict[str, str]
    prelude: str
    suite_digest: str
    certificate_digest: str
    ground_truth_digest: str
    cases: int
    branch_coverage: float
    mutation_score: float
    languages: tuple[str, ...]
    cpu_s: float = field(default=0.0, compare=False)
    # "described" where the words suffice by stated rules, else "by_example"; `gaps` says what they lack.
    track: str = ""
    gaps: tuple[str, ...] = ()
    # Cases whose input the documentation or the source's own tests give.
    real_cases: int = 0
    # What the cases show of every parameter, in words.
    domain: dict[str, str] = field(default_factory=dict[str, str])
