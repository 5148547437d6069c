"""What can go wrong in this service; a function that gets no task is a refusal, never an exception."""

from __future__ import annotations

from touchstone_runtime.errors import PermanentError, RetryableError


class SandboxUnavailableError(RetryableError):
    """The sandbox cannot be reached or broke down; the same work may succeed later."""


class SandboxRefusedError(PermanentError):
    """The sandbox will never take this job as it stands."""


class UnknownTaskError(PermanentError):
    """No stored task has this id, or more than one begins with it."""


class BadFunctionError(PermanentError):
    """The record of a function cannot be read."""
