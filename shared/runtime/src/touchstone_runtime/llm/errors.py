"""What can go wrong between a service and a model.

Two families. An `LlmHaltError` says that asking again later, or after somebody fixed something, will
work: the endpoint is down, talks nonsense, refuses the key, or the budget is spent. It is a
`SuspendedError`, so no message goes to a dead-letter topic: the work stands still, says why, and goes on
by itself once the cause is gone (a raised cap needs a restart of the service with the new setting).
The others are `PermanentError`s: the same question would fail again.
"""

from __future__ import annotations

from touchstone_runtime.errors import PendingError, PermanentError, RetryableError, SuspendedError, TouchstoneError
from touchstone_runtime.llm.messages import LlmUsage


class AskedInVainError(TouchstoneError):
    """A question has no answer; `lost` is what it was sent for so far, by this process, in tries of no use."""

    lost: LlmUsage = LlmUsage()


class LlmHaltError(AskedInVainError, SuspendedError):
    """Work that needs a model stands still; it resumes when the cause is gone.

    `own` is False where an endpoint is away that is not the platform's: a run that named it ends, all else waits.
    """


class EndpointUnavailableError(LlmHaltError):
    """The endpoint cannot be reached, is overloaded, or fails on its side, after every retry."""


class EndpointRefusedError(LlmHaltError):
    """The endpoint is there and does not accept us: key, permission, or it does not know the model."""


class EndpointNonsenseError(LlmHaltError):
    """The endpoint answered with something that is no chat completion.

    `taken` is what it took in tokens in and out, nothing where no model answered; None where nobody can tell.
    `of_a_model` says that it has the form of what a model answers: where others are answered, it is this question's.
    """

    taken: tuple[int, int] | None = None
    of_a_model: bool = False


class EndpointFailedError(AskedInVainError, RetryableError):
    """The endpoint answers and fails at this very request, after every retry: asking for ever helps nobody.

    `taken` is what it took in tokens in and out, where it answered and told; None where nobody can tell.
    """

    taken: tuple[int, int] | None = None


class BudgetSpentError(LlmHaltError):
    """The next call could exceed the cap in tokens or money; nothing was asked."""


class LlmCacheError(LlmHaltError):
    """The response cache cannot be written, so that an answer could not be replayed."""


class BatchFailedError(LlmHaltError):
    """The batch that a question was in was not taken; it is asked for again when its run is."""


class AnswerPendingError(PendingError):
    """The question waits for its batch, by the hash of its request; asked again later, it has its answer."""


class RequestRefusedError(AskedInVainError, PermanentError):
    """The endpoint says that this very request is impossible, for example a value out of its range."""


class QuestionRefusedError(RequestRefusedError):
    """It says so of the question: longer than its context, or against its rules. That is an answer of its model's.

    Any other refusal is nobody's answer: who scores models must not count it as a wrong one. `taken` is what it took in
    tokens in and out, where the endpoint began to answer; None where it did not, or nobody can tell.
    """

    taken: tuple[int, int] | None = None


class UnknownModelError(PermanentError):
    """No such name in the catalogue, and no `name@base_url` either."""


class CatalogueError(PermanentError):
    """`models.toml` is missing or malformed."""


class PromptError(PermanentError):
    """A prompt file is missing, or its placeholders and the given values differ."""


class BadAnswerError(PermanentError):
    """The model's answer did not fit the schema, repair rounds included.

    Attributes:
        text: The last answer.
        usage: What all rounds together took.
    """

    def __init__(self, message: str, *, thing: str = "", way_out: str = "", text: str, usage: LlmUsage) -> None:
        super().__init__(message, thing=thing, way_out=way_out)
        self.text = text
        self.usage = usage
