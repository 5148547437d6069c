"""What can go wrong while embedding, beyond the faults that every service knows."""

from __future__ import annotations

from touchstone_runtime.errors import PermanentError, PreconditionError, SuspendedError


class UnknownEmbeddingModelError(PermanentError):
    """The caller names a model that is not configured."""


class ModelUnavailableError(PreconditionError):
    """A configured model cannot be loaded: its folder is missing or broken, or its device is not there."""


class ModelsLoadingError(SuspendedError):
    """The models are still being loaded; asking again a little later works."""


class NoModelError(SuspendedError):
    """Not one configured model could be loaded; functions wait until a restart finds one."""


class RequestTooLargeError(PermanentError):
    """One call asks for more texts than a call may carry."""


class BadTriplesError(PermanentError):
    """A file that is to be learnt from holds no triples."""


class TrainingExistsError(PreconditionError):
    """The folder belongs to another training."""
