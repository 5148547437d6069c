"""What can go wrong in this service; a function that gets no task is a refusal, never an exception."""

from __future__ import annotations

from touchstone_runtime.errors import NotFoundError, PermanentError, PreconditionError, RetryableError, SuspendedError


class SandboxUnavailableError(RetryableError):
    """The sandbox cannot be reached or broke down; the same work may succeed later."""


class SandboxAwayError(SandboxUnavailableError, SuspendedError):
    """The sandbox cannot be reached, or takes no jobs until somebody acts; the work waits."""


class SandboxRefusedError(PermanentError):
    """The sandbox will never take this job as it stands."""


class UnknownTaskError(NotFoundError):
    """No stored task has this id, or more than one begins with it."""


class RetractedTaskError(PermanentError):
    """A task was taken back, so that nothing new may be made of it."""


class UnknownReleaseError(NotFoundError):
    """No release has this name."""


class BadSelectionError(PermanentError):
    """What a release shall hold is not stated as it must be, or nothing matches it."""


class ReleaseExistsError(PermanentError):
    """The name belongs to a release with other content."""


class BrokenReleaseError(PreconditionError):
    """A part of a release is missing or is not what its digest says."""


class UnknownFormatError(PermanentError):
    """There is no such format of export."""


class UnknownTrackError(PermanentError):
    """Tasks are not posed so."""


class NoExerciseError(PermanentError):
    """A task gives no exercise of a track."""
