# Wrong: strips zeros at both ends of the degrees instead of leading ones only, so 120 degrees become 12.
import re


def dm_to_sd(dm):
    if dm in ("", "0"):
        return 0.0
    m = re.match(r"^(\d+)(\d\d\.\d+)$", dm)
    if not m:
        raise ValueError(dm)
    degrees = m.group(1).strip("0") or "0"
    return int(degrees) + float(m.group(2)) / 60
