"""Faults of the ingester. A file that does not parse is no fault: it is counted and reported."""

from __future__ import annotations

from touchstone_runtime.errors import NotFoundError, PermanentError, RetryableError


class SourceUnavailableError(RetryableError):
    """A source cannot be reached now; it is asked again later."""


class SourceRefusedError(PermanentError):
    """A source cannot be taken in as it is: unknown package, broken or hostile archive, wrong hash."""


class NothingParsesError(SourceRefusedError):
    """A path that was given by hand holds code, and none of it parses."""


class UnknownSourceError(NotFoundError):
    """Nobody added this source."""


class FunctionNotFoundError(PermanentError):
    """A file holds no such function, or several."""
