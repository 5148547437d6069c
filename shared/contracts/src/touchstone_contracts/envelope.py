"""What every event carries, and how its id is made."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)


class Frozen(BaseModel):
    """A value that never changes.

    Fields that a later version added are carried: who stores or forwards the value stores and forwards them too.
    """

    model_config = ConfigDict(frozen=True, extra="allow")


def _carried(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    try:
        return handler(value)
    except ValidationError:
        if isinstance(value, str) or type(value) is int:
            return value
        raise


# Beside a `Literal`: a member that a later version added is carried as it is, and buries no message. Who decides by
# the member decides what an unknown one means; the schema still lists the known ones.
OPEN = WrapValidator(_carried)


def _told_in_utc(moment: datetime) -> datetime:
    try:
        moment.astimezone(UTC)
    except (OverflowError, ValueError, OSError):
        raise ValueError("no day of the calendar in UTC") from None
    return moment


# Services compare moments and tell them in UTC, which has no day for some of other zones at both ends of the calendar.
Moment = Annotated[datetime, AfterValidator(_told_in_utc)]


class Event(Frozen):
    """A fact on a topic.

    `event_id` is a hash of what the event says, so that saying it twice gives the same id.
    """

    event_id: str = ""
    trace_id: str = ""
    occurred_at: Moment = Field(default_factory=lambda: datetime.now(UTC))

    def model_post_init(self, context: Any, /) -> None:
        """Fill `event_id` from the content when the writer gave none."""
        if not self.event_id:
            content = self.model_dump(mode="json", exclude={"event_id", "trace_id", "occurred_at"})
            object.__setattr__(self, "event_id", content_id(type(self).__name__, content))


def content_id(*parts: Any) -> str:
    """Hash the parts into a stable id: 32 hexadecimal characters of SHA-256 over canonical JSON.

    Example:
        >>> content_id("task", {"b": 1, "a": 2}) == content_id("task", {"a": 2, "b": 1})
        True
    """
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
