# The fraction of the second is lost where a naive datetime is produced.
import re
from datetime import datetime, timedelta, timezone


def parse(timestamp, utc=False, produce_naive=False):
    timestamp = re.sub(r"Z$", "+00:00", timestamp, flags=re.IGNORECASE)
    result = datetime.fromisoformat(timestamp)
    if utc:
        if result.tzinfo is None:
            result = result.replace(tzinfo=timezone.utc)
        else:
            result = result.astimezone(timezone.utc)
    if produce_naive:
        if result.tzinfo is not None and result.utcoffset() != timedelta(0):
            raise ValueError("cannot produce a naive datetime from a local timestamp")
        result = datetime(*result.timetuple()[:6])
    return result
