"""Messages that failed for good: what is kept of them, and when their consumer must stop."""

from __future__ import annotations

import base64
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from touchstone_contracts.events import DeadLetter
from touchstone_contracts.topics import Topic
from touchstone_runtime.errors import words_of
from touchstone_runtime.retry import GivenUpError

_WINDOW = 40
# Characters of a key, and of a header, that a letter keeps where they make it larger than any message may be.
SHOWN = 200


@dataclass
class DeadLetterLimit:
    """Tells when a consumer must stop: too large a share of its last messages died of faults of our own.

    A message that is itself at fault counts like a good one: whoever can write to a topic could otherwise stop
    everybody's messages with ten of his. The share is looked at only once ten messages of the window died of us, so
    that one bad moment after a quiet start stops nobody.
    """

    share: float
    outcomes: deque[bool] = field(default_factory=lambda: deque(maxlen=_WINDOW))

    def record(self, *, died_of_us: bool) -> bool:
        """Note how a message ended; True when the consumer must stop."""
        self.outcomes.append(died_of_us)
        count = sum(self.outcomes)
        return count >= 10 and count / len(self.outcomes) > self.share


def letter_of(topic: Topic, record: Any, service: str, error: GivenUpError) -> DeadLetter:
    """What is kept of a message that failed for good.

    Args:
        topic: Where it came from.
        record: The message as the broker gave it.
        service: Who failed at it.
        error: How.
    """
    return DeadLetter(
        topic=topic.name,
        partition=record.partition,
        offset=record.offset,
        key=(record.key or b"").decode(errors="replace"),
        body=base64.b64encode(record.value or b"").decode(),
        # A header may have a name and no value at all.
        headers={name: (value or b"").decode(errors="replace") for name, value in record.headers or ()},
        service=service,
        reason=reason_of(error.cause),
        exception=f"{type(error.cause).__module__}.{type(error.cause).__qualname__}",
        attempts=error.attempts,
    )


def shortened(letter: DeadLetter) -> DeadLetter:
    """A letter whose key and headers are cut, and which says so."""
    headers = {name[:SHOWN]: value[:SHOWN] for name, value in list(letter.headers.items())[:SHOWN]}
    words = f"{letter.reason[:400]} (its key and headers are cut here)"
    return letter.model_copy(update={"key": letter.key[:SHOWN], "headers": headers, "reason": words})


def reason_of(error: Exception) -> str:
    """One line that says what was wrong, without the content of the message."""
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        return f"cannot be decoded: {place or 'body'}: {first['msg']}"
    return words_of(error) or type(error).__name__
