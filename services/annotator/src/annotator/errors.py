"""What can go wrong here, beyond what the runtime already names."""

from __future__ import annotations

from touchstone_runtime.errors import NotFoundError, PermanentError, PreconditionError, RetryableError, SuspendedError


class BadPairError(PermanentError):
    """A pair that cannot be judged by anybody: no query, no code, or a language that nobody speaks here."""


class NoModelError(SuspendedError):
    """No language model is configured, and no label is made without one."""


class SandboxFaultError(RetryableError):
    """The sandbox failed on its own account; the program's fate is unknown."""


class BadRequestError(PermanentError):
    """A caller asks for something that makes no sense."""


class UnknownPairError(NotFoundError):
    """No pair has this id, or several begin so."""


class NotYoursError(PreconditionError):
    """A reviewer says something about a pair that is not theirs to say now."""


class BadCalibrationError(PermanentError):
    """A calibration file that says nothing usable."""


class BadSelectionError(PermanentError):
    """Nothing can be released by this name, or of what is asked for."""


class UnknownReleaseError(NotFoundError):
    """There is no release of this name."""


class ReleaseExistsError(PreconditionError):
    """The name belongs to a release with other content."""


class BrokenReleaseError(PreconditionError):
    """A manifest or a portion of a release is missing or damaged."""


class UnknownFormatError(PermanentError):
    """There is no such format of export."""


class CallTooLargeError(PermanentError):
    """One call alone could pass the cap of a whole period; its pair is set aside, or it would stop all behind it."""


class PoolBudgetSpentError(SuspendedError):
    """The next call could pass what pools may spend; the pair waits for the next period, or for a higher cap."""
