"""What can go wrong while searching, beyond the faults that every service knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

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


class ModelsLoadingError(EmbedderAwayError):
    """The embedder is still loading some of the models: who can do with the others finds their vectors here.

    Args:
        loading: Names of the models that are being loaded.
        ready: Vectors of each text by the others, by the keys of their spaces.
    """

    def __init__(self, loading: Sequence[str], ready: Sequence[Mapping[str, NDArray[np.float32]]]) -> None:
        super().__init__(
            f"is still loading {' and '.join(loading)}", thing="the embedder", way_out="ask again in some seconds"
        )
        self.loading = tuple(loading)
        self.ready = ready


class EmbedderRefusedError(PermanentError):
    """The embedder does not take this request: it does not have the model any more."""


class ModelsGoneError(EmbedderAwayError):
    """The embedder has none of the models, by their digest, that the answering generation of the index was made by."""


class AgentError(RetryableError):
    """The language model of the augmented search cannot be used for this step."""


class AgentAwayError(AgentError):
    """The language model cannot be used at all now: none is configured, it is down, or the budget is spent."""
