"""The evaluator's own faults."""

from __future__ import annotations

from touchstone_runtime.errors import NotFoundError, PermanentError, RetryableError, SuspendedError


class UnknownRunError(NotFoundError):
    """No run has this id."""


class UnknownTaskError(NotFoundError):
    """A run was asked for with a task that nobody built."""


class UnknownReleaseError(NotFoundError):
    """A run was asked for over a release that nobody made."""


class BadSpecificationError(PermanentError):
    """A run was asked for that makes no sense."""


class UnknownAnswersError(NotFoundError):
    """A run was asked for over answers that nobody submitted."""


class NoTasksError(PermanentError):
    """A run was asked for and there is no task to solve."""


class UnknownStrategyError(PermanentError):
    """A run was asked for with a strategy that does not exist."""


class TaskNotYetKnownError(RetryableError):
    """A solution was requested for a task whose own event has not come yet."""


class SandboxUnusableError(SuspendedError):
    """The sandbox refuses jobs; the strategy that needs it waits."""


class SandboxFailedError(RetryableError):
    """The sandbox itself failed at a draft."""


class SearchAwayError(SuspendedError):
    """The retriever does not answer; the strategy that searches waits."""


class IncompleteSearchError(PermanentError):
    """A search left out steps that its name stands for; it has no score, the other retrievers do."""


class ReleasesAwayError(RetryableError):
    """Whoever keeps the releases does not answer."""


class UnknownScopeError(NotFoundError):
    """A board was asked for over tasks that no run has."""


class UnknownLabelsError(NotFoundError):
    """Scores were asked for on labels on which nothing was scored."""


class UnknownTrackError(PermanentError):
    """A run was asked for over a track that does not exist."""


class NoExerciseError(PermanentError):
    """A task gives no exercise of a track."""


class ExercisesAwayError(SuspendedError):
    """Whoever poses tasks as exercises does not answer; what is asked so waits."""
