"""What can go wrong here, beyond what the runtime already names."""

from __future__ import annotations

from touchstone_runtime.errors import PermanentError, RetryableError, SuspendedError


class BadPairError(PermanentError):
    """A pair that cannot be judged by anybody: no query, no code, or a language that nobody speaks here."""


class NoModelError(SuspendedError):
    """No language model is configured, and no label is made without one."""


class SandboxFaultError(RetryableError):
    """The sandbox failed on its own account; the program's fate is unknown."""


class BadRequestError(PermanentError):
    """A caller asks for something that makes no sense."""


class BadCalibrationError(PermanentError):
    """A calibration file that says nothing usable."""
