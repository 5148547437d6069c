"""What can go wrong while searching, beyond the faults that every service knows."""

from __future__ import annotations

from touchstone_runtime.errors import PermanentError, RetryableError, SuspendedError


class BadRequestError(PermanentError):
    """The caller asks for something that cannot be answered."""


class EmptyIndexError(SuspendedError):
    """There is nothing to propose from yet; the query waits."""


class IndexUnavailableError(SuspendedError):
    """The index does not answer."""


class IndexFailedError(RetryableError):
    """The index answered, and does not take this request."""


class EmbedderUnavailableError(RetryableError):
    """The embedder does not answer, or has no model."""


class EmbedderAwayError(EmbedderUnavailableError, SuspendedError):
    """The embedder cannot be reached, or waits for a model; the work waits too."""


class EmbedderRefusedError(PermanentError):
    """The embedder does not take this request: it does not have the model any more."""


class ModelsGoneError(EmbedderAwayError):
    """The embedder has none of the models, by their digest, that the answering generation of the index was made by."""


class AgentError(RetryableError):
    """The language model of the augmented search cannot be used for this step."""


class AgentAwayError(AgentError):
    """The language model cannot be used at all now: none is configured, it is down, or the budget is spent."""
