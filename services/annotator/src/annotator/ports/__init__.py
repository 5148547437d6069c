"""What the use cases need from outside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

from annotator.domain.execution import CaseRun, ProgramRun
from annotator.domain.pair import Pair
from annotator.domain.record import DecidedBy, Exchange, Label
from annotator.domain.statistics import Effort

T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Asked(Generic[T]):
    """A model's answer, as far as it could be understood.

    Attributes:
        value: None where no round gave an answer of the asked form.
        problem: Why there is no value.
        prompt: Name and hash of the prompt file.
    """

    value: T | None
    problem: str
    prompt: str
    exchanges: tuple[Exchange, ...]


@dataclass(frozen=True, slots=True)
class Weighed:
    """How likely each of some one-word answers is, in a model's own numbers.

    Attributes:
        shares: Probability of each choice, in their order, as shares of one; None where the endpoint does not tell, or
            none of the choices is among the likeliest words.
        mass: Probability that all choices have together: how far the model keeps to the asked form.
        prompt: Name and hash of the prompt file.
    """

    shares: tuple[float, ...] | None
    mass: float
    prompt: str
    exchanges: tuple[Exchange, ...]


class LanguageModel(Protocol):
    """A model that fills in forms."""

    def signature(self) -> str:
        """The model's identity and the prompts' versions: equal signatures answer equally.

        Raises:
            NoModelError: none is configured.
        """
        ...

    async def ask(self, prompt: str, form: type[T], *, max_tokens: int, **values: str) -> Asked[T]:
        """Ask for an answer in a form; an answer without it is a value, not an exception.

        Args:
            prompt: Name of a prompt file, for example `screener_v1`.
            form: What the answer must look like.
            max_tokens: Upper bound of each answer's length.
            values: What the prompt's placeholders stand for.

        Raises:
            NoModelError: none is configured.
            RetryableError: the endpoint is away or the budget is spent.
        """
        ...

    async def weigh(self, prompt: str, choices: Sequence[str], **values: str) -> Weighed:
        """Ask for one word and read how likely each choice was.

        Args:
            prompt: Name of a prompt file.
            choices: The words that may be answered; case and white space around them do not count.
            values: What the prompt's placeholders stand for.

        Raises:
            NoModelError: none is configured.
            RetryableError: the endpoint is away or the budget is spent.
        """
        ...


@dataclass(frozen=True, slots=True)
class Preparation:
    """What became of a wish for packages.

    Attributes:
        environment_id: Names the environment for later runs; empty where it could not be had.
        installed: Name, version and hash of each package.
        problem: Why it could not be had.
    """

    environment_id: str
    installed: tuple[str, ...] = ()
    problem: str = ""


class Terminal(Protocol):
    """A sandbox that stays from one command to the next. What is in it is the model's: nothing of it is believed."""

    async def command(self, line: str) -> ProgramRun:
        """Run one line of `sh` in the working folder; how it ends is a value, also where the sandbox ended with it.

        Raises:
            SandboxFaultError: the sandbox failed on its own account.
        """
        ...

    async def write(self, path: str, text: str) -> None:
        """Put a file into the working folder; does nothing where the sandbox has ended.

        Raises:
            SandboxFaultError: the sandbox failed on its own account.
        """
        ...

    async def read(self, path: str) -> str | None:
        """The text of a file of the working folder; None where there is no such file, or it is no text.

        Raises:
            SandboxFaultError: the sandbox failed on its own account.
        """
        ...


class Sandbox(Protocol):
    """Runs foreign code isolated. How the code ends is a value; only the sandbox's own faults raise."""

    async def speaks(self, language: str) -> bool:
        """Whether programs in a language can run here.

        Raises:
            SandboxFaultError: the sandbox cannot say.
        """
        ...

    async def call(
        self, language: str, source: str, entry_point: str, inputs: Sequence[str], environment_id: str,
        nothing_returned: bool = False,
    ) -> tuple[CaseRun, ...]:  # fmt: skip
        """Call one function on each input, each portable value an array or object of arguments.

        Args:
            language: Of the source.
            source: The function, with all that it needs.
            entry_point: Its name.
            inputs: Arguments, call by call.
            environment_id: Packages that were prepared, or empty.
            nothing_returned: Some call shall return nothing: what is nothing or empty in its language is nothing.

        Returns:
            One run for each input, in order.

        Raises:
            SandboxFaultError: the sandbox failed on its own account.
        """
        ...

    async def run(self, language: str, source: str, environment_id: str) -> ProgramRun:
        """Run a whole program.

        Raises:
            SandboxFaultError: the sandbox failed on its own account.
        """
        ...

    async def prepare(self, language: str, requirements: Sequence[str]) -> Preparation:
        """Put packages in place for later runs; a package that cannot be had is an answer.

        Raises:
            SandboxFaultError: the sandbox failed on its own account.
        """
        ...

    def terminal(
        self, language: str, files: Mapping[str, str], environment_id: str
    ) -> AbstractAsyncContextManager[Terminal]:
        """A sandbox for commands, with these files in its working folder; it ends with the block.

        Raises:
            SandboxFaultError: the sandbox failed on its own account.
        """
        ...


class Siblings(Protocol):
    """Codes that were found for other queries."""

    async def siblings(self, pair: Pair, limit: int) -> Sequence[Pair]:
        """Pairs of pools of other queries (in other words) with other codes in the same language, at most so many."""
        ...


class RecordStore(Protocol):
    """Keeps whole records under the digest of their bytes."""

    async def put(self, data: bytes) -> str:
        """Store bytes and return their SHA-256, hexadecimal; storing twice is harmless."""
        ...


@dataclass(frozen=True, slots=True)
class StepSummary:
    """A step as it is shown: what it decided and what it took.

    Attributes:
        content: A test, or what its run showed, in full; empty where nobody read it out of the record, where alone it
            is kept.
    """

    name: str
    outcome: str
    detail: str
    model: str
    tokens_in: int
    tokens_out: int
    elapsed_s: float
    cost_usd: float
    content: str = ""


@dataclass(frozen=True, slots=True)
class StoredLabel:
    """A label as it is kept.

    Attributes:
        label: None where no agent could tell.
        reading: The meaning of the query under which the label holds; empty where nothing was tested.
        score: Calibrated probability that the code answers the query; None where nothing calibrates.
        calibration: Which calibration gave the score.
        labelled_at: None until it is stored.
    """

    pair: Pair
    method_id: str
    label: Label | None
    reason: str
    decided_by: DecidedBy
    unclear: bool
    self_reported: bool
    executed: bool | None
    assertions: int
    audit: Label | None
    record_digest: str
    steps: tuple[StepSummary, ...]
    effort: Effort
    calls: int
    labelled_at: datetime | None = None
    reading: str = ""
    score: float | None = None
    calibration: str = ""

    @property
    def outcome(self) -> str:
        """ "yes", "no", or "undecided": the third is no label."""
        return "undecided" if self.label is None else ("yes" if self.label else "no")


@dataclass(frozen=True, slots=True)
class LabelCounts:
    """How far the work is."""

    labelled: int
    matching: int
    unclear: int
    tested: int
    executed: int
    disputed: int
    undecided: int = 0


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which pairs a list shows; what is empty is not asked for.

    Attributes:
        outcome: "yes", "no" or "undecided".
        disputed: Only pairs whose second agent says otherwise.
    """

    query: str = ""
    outcome: str = ""
    decided_by: str = ""
    language: str = ""
    disputed: bool = False


EVERY = Wanted()

# Where a list goes on: when its last label was given, and the pair's id.
Place = tuple[datetime, str]


class Labels(Protocol):
    """The labels that were given."""

    async def find(self, pair_id: str, method_id: str) -> StoredLabel | None:
        """The label of a pair under a method."""
        ...

    async def add(self, label: StoredLabel) -> StoredLabel:
        """Store a label unless the pair has one under this method.

        Returns:
            What is stored now under this method; the first one wins. The newest label of a pair is the current one,
            except that a person's outranks every other, and that of a review everything that was brought. From then on
            it waits to be announced, unless it was judged on demand.
        """
        ...

    async def reinstate(self, pair_id: str, method_id: str) -> StoredLabel | None:
        """Let the label that a pair has under a method be its newest one again, as if it were stored now.

        A pair without a current label stays without.

        Returns:
            What is stored under this method; None where nothing is.
        """
        ...

    async def unannounced(self, limit: int) -> list[str]:
        """Ids of pairs, at most so many, with a label that waits to be announced; in their order."""
        ...

    async def unannounced_methods(self, pair_id: str) -> list[str]:
        """The methods whose label of this pair waits to be announced."""
        ...

    async def announced(self, pair_id: str, methods: Sequence[str]) -> None:
        """The labels of a pair by these methods wait no longer."""
        ...

    async def newest(self, limit: int, wanted: Wanted = EVERY, after: Place | None = None) -> list[StoredLabel]:
        """The current label of each pair, newest first.

        Args:
            limit: At most so many.
            wanted: Only these.
            after: Only what comes after this place of the list.
        """
        ...

    async def of_pair(self, identifier: str) -> list[StoredLabel]:
        """All labels of the pairs whose id is this, or begins so: by pair, the current one first, then the newest."""
        ...

    async def code_of(self, function_id: str) -> Pair | None:
        """A pair of the pools that has this code; None where no pool holds it."""
        ...

    async def same_texts(self, pair: Pair) -> Sequence[StoredLabel]:
        """The current labels of all pairs with the query, the code and the language of a pair, by their ids.

        Codes are compared as `identities.code_words` has them.
        """
        ...

    async def retire(self, pair_id: str) -> None:
        """Let a pair have no current label from now on, until it gets one more; its labels stay."""
        ...

    async def counts(self) -> LabelCounts:
        """Sums over the current label of each pair."""
        ...


class Announcer(Protocol):
    """Tells the world about labels."""

    async def announce(self, label: StoredLabel) -> None:
        """Publish a stored label and wait until the broker has it; the same label gives the same event.

        Raises:
            RetryableError: the broker does not take it.
        """
        ...


class Portions(Protocol):
    """Where manifests and portions of releases lie; nothing is checked when they are read."""

    async def get(self, digest: str) -> bytes | None:
        """The bytes that lie under a digest; None when there are none."""
        ...

    def place(self, digest: str) -> str:
        """Where that is, for people."""
        ...
