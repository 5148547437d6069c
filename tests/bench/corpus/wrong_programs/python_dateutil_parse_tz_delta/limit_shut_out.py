# Wrong: 24 hours exactly are refused.
import re

_pattern = re.compile(
    r"(?P<sign>[+-])?(?P<h>\d{1,3})(:(?P<m>\d{2})(:(?P<s>\d{2}))?)?", re.ASCII
)


def parse_tz_delta(tz_delta):
    match = _pattern.fullmatch(tz_delta)
    if match is None:
        raise ValueError(f"Invalid offset: {tz_delta}")
    h, m, s = (int(v or 0) for v in match.group("h", "m", "s"))
    total = h * 3600 + m * 60 + s
    if h >= 24:
        raise ValueError(f"Offset hours must be in [0, 24): {tz_delta}")
    if match.group("sign") != "-":
        total = -total
    return total
