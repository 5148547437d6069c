"""The platform's own faults. A candidate's failure is a value and never one of these; `faults` says what to do."""

from __future__ import annotations

from touchstone_runtime.storable import encodable


class TouchstoneError(Exception):
    """A fault that names the offending thing and the way out, in characters that every message can hold.

    Args:
        message: What happened, one sentence.
        thing: The offending thing: a file, a package, a model, a port.
        way_out: What a person can do about it.
    """

    def __init__(self, message: str, *, thing: str = "", way_out: str = "") -> None:
        # What they tell of may be a file's name, or what a server sent; they go into logs, letters, answers and stores.
        self.message = encodable(message)
        self.thing = encodable(thing)
        self.way_out = encodable(way_out)
        super().__init__(self.message)

    def __str__(self) -> str:
        """One line: thing, message, way out."""
        head = f"{self.thing}: {self.message}" if self.thing and self.thing not in self.message else self.message
        return f"{head} ({self.way_out})" if self.way_out else head


class RetryableError(TouchstoneError):
    """A passing fault: trying again later may help."""


class PermanentError(TouchstoneError):
    """Trying again cannot help: the message goes to the dead letters, the caller gets INVALID_ARGUMENT."""


class NotFoundError(PermanentError):
    """What was asked for does not exist."""


class PreconditionError(PermanentError):
    """The service lacks something that a person must put in place first."""


class SuspendedError(RetryableError):
    """Work must wait until somebody acts: a spent budget, an endpoint that is down.

    The message is kept and tried again without end; it never goes to the dead letters.

    Attributes:
        own: What is away belongs to the platform, and not to whoever asked, as an endpoint that a run names does.
    """

    own: bool = True

    def __init__(self, message: str, *, thing: str = "", way_out: str = "", retry_after_s: float = 10.0) -> None:
        super().__init__(message, thing=thing, way_out=way_out)
        self.retry_after_s = retry_after_s


class StoppingError(SuspendedError):
    """The process was told to stop and begins nothing that it might not finish; whoever comes after it does."""


class PendingError(SuspendedError):
    """What was asked for comes later by itself; the work may be put away until then.

    Attributes:
        key: What it waits for.
    """

    def __init__(self, message: str, *, key: str, thing: str = "") -> None:
        super().__init__(message, thing=thing, retry_after_s=60.0)
        self.key = key


def words_of(error: BaseException, most: int = 500) -> str:
    """What a fault says, on one line that every message can hold; empty where it has no words.

    Args:
        error: Anybody's.
        most: Characters, at most.
    """
    # The words may begin with what came from outside, and that with empty lines.
    lines = (line.strip() for line in encodable(str(error)).splitlines())
    return next((line for line in lines if line), "")[:most]
