# Normalizing to UTC changes the time of day only, the date does not move on over midnight.
import re
from datetime import datetime, timedelta, timezone


def parse(timestamp, utc=False, produce_naive=False):
    timestamp = re.sub(r"Z$", "+00:00", timestamp, flags=re.IGNORECASE)
    result = datetime.fromisoformat(timestamp)
    if utc:
        if result.tzinfo is not None:
            moved = result.astimezone(timezone.utc)
            result = datetime.combine(result.date(), moved.timetz())
        else:
            result = result.replace(tzinfo=timezone.utc)
    if produce_naive:
        if result.tzinfo is not None and result.utcoffset() != timedelta(0):
            raise ValueError("cannot produce a naive datetime from a local timestamp")
        result = result.replace(tzinfo=None)
    return result
