# Wrong: only digits (and a plus sign) are taken for a number, negative ones give 0
import re

def list_numbering_start(attrs: dict[str, str | None]) -> int:
    m = re.match(r"\s*\+?(\d+)\s*$", attrs.get("start") or "")
    return int(m.group(1)) - 1 if m else 0
