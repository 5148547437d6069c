"""When a source is looked at again, and how old its code may be."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

# Source: Code2Bench, section on recall and time filter (paper: Aug 2024 to May 2025).
DEFAULT_WINDOW_DAYS = 365
# All code there is, by far; what is longer leads to days before the first of the calendar.
MOST_WINDOW_DAYS = 36_500
# Raised when functions are judged or dated otherwise than before: sources are taken in anew, once each.
RULES = 4
_FIRST_BACKOFF = timedelta(minutes=5)
_LONGEST_BACKOFF = timedelta(days=1)


def next_attempt(now: datetime, failures: int, interval: timedelta) -> datetime:
    """When to look at a source again: after the interval, or later the more often it failed in a row.

    Args:
        now: The time of this attempt.
        failures: Failures in a row, 0 after a success.
        interval: How often a healthy source is looked at.
    """
    if failures == 0:
        return now + interval
    return now + max(interval, min(_FIRST_BACKOFF * 2 ** min(failures - 1, 12), _LONGEST_BACKOFF))


def rules(window_days: int, licences: Sequence[str], skip_tests: bool) -> str:
    """What a version was taken in under; the same version is taken in again where this differs."""
    allowed = ", ".join(sorted(licences)) or "any licence"
    tests = "without tests" if skip_tests else "with tests"
    return f"rules {RULES}, {window_days} days, {tests}, {allowed}"
