# Wrong: a trailing Z gives a datetime without zone.
from datetime import datetime, timezone


def parse_xsd_datetime(dt_str):
    if dt_str.endswith("Z"):
        for fmt in ("%Y-%m-%dT%H:%M:%S.%fZ", "%Y-%m-%dT%H:%M:%SZ"):
            try:
                return datetime.strptime(dt_str, fmt)
            except ValueError:
                pass
        return datetime.strptime(dt_str, "%Y-%m-%dZ")
    for fmt in ("%Y-%m-%dT%H:%M:%S.%f", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d"):
        try:
            return datetime.strptime(dt_str, fmt)
        except ValueError:
            pass
    return datetime.fromisoformat(dt_str)
