"""The executor's own faults."""

from touchstone_runtime.errors import PermanentError, PreconditionError, RetryableError, TouchstoneError

__all__ = ["BusyError", "IsolationMissingError", "JobRefusedError", "SandboxFaultError", "TouchstoneError"]


class JobRefusedError(PermanentError):
    """The job asks for something that it cannot have."""


class IsolationMissingError(PreconditionError):
    """A layer of isolation is missing on this machine; no job is run without it."""


class BusyError(RetryableError):
    """The caller has too many jobs waiting."""


class SandboxFaultError(RetryableError):
    """The sandbox itself failed, not the program in it."""
