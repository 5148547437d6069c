# Wrong: the digits of the fraction are read as a count of microseconds.
from datetime import datetime, timezone


def parse_xsd_datetime(dt_str):
    utc = dt_str.endswith("Z")
    text = dt_str[:-1] if utc else dt_str
    text, _, fraction = text.partition(".")
    if "T" in text:
        value = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S")
    else:
        value = datetime.strptime(text, "%Y-%m-%d")
    if fraction:
        value = value.replace(microsecond=int(fraction))
    if utc:
        value = value.replace(tzinfo=timezone.utc)
    return value
