# Wrong: the fraction of a second is cut off.
from datetime import datetime, timezone


def parse_xsd_datetime(dt_str):
    if "." in dt_str:
        dt_str = dt_str.split(".")[0] + ("Z" if dt_str.endswith("Z") else "")
    if dt_str.endswith("Z"):
        for fmt in ("%Y-%m-%dT%H:%M:%S.%fZ", "%Y-%m-%dT%H:%M:%SZ"):
            try:
                return datetime.strptime(dt_str, fmt).replace(tzinfo=timezone.utc)
            except ValueError:
                pass
        return datetime.strptime(dt_str, "%Y-%m-%dZ").replace(tzinfo=timezone.utc)
    for fmt in ("%Y-%m-%dT%H:%M:%S.%f", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d"):
        try:
            return datetime.strptime(dt_str, fmt)
        except ValueError:
            pass
    return datetime.fromisoformat(dt_str)
