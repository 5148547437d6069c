# Takes only a timestamp that ends in Z for UTC, so +00:00 is refused where a naive datetime is wanted.
import re
from datetime import datetime, timezone


def parse(timestamp, utc=False, produce_naive=False):
    in_utc = timestamp[-1:] in ("Z", "z")
    timestamp = re.sub(r"Z$", "+00:00", timestamp, flags=re.IGNORECASE)
    result = datetime.fromisoformat(timestamp)
    if utc:
        in_utc = True
        if result.tzinfo is None:
            result = result.replace(tzinfo=timezone.utc)
        else:
            result = result.astimezone(timezone.utc)
    if produce_naive:
        if result.tzinfo is not None and not in_utc:
            raise ValueError("cannot produce a naive datetime from a local timestamp")
        result = result.replace(tzinfo=None)
    return result
