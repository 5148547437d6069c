# Wrong: integers are written without quotes
import re

_Q = re.compile("(['\u2018\u2019\u201a\u201b])")

def powershell_list(items: list[int | list[object] | dict[object, object] | str | None]) -> str:
    return "@(" + ", ".join((str(x) if isinstance(x, int) else "'" + _Q.sub(r"\1\1", str(x)) + "'") for x in items) + ")"
