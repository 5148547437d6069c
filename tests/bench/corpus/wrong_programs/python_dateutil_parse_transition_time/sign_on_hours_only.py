# Wrong: minutes and seconds keep a plus sign.
import re

_pattern = re.compile(
    r"(?P<sign>[+-])?(?P<h>\d{1,3})(:(?P<m>\d{2})(:(?P<s>\d{2}))?)?", re.ASCII
)


def parse_transition_time(time_str):
    match = _pattern.fullmatch(time_str)
    if match is None:
        raise ValueError(f"Invalid time: {time_str}")
    h, m, s = (int(v or 0) for v in match.group("h", "m", "s"))
    if h > 167:
        raise ValueError(f"Hour must be in [0, 167]: {time_str}")
    if match.group("sign") == "-":
        h = -h
    return h, m, s
