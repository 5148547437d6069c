# Wrong: the backtick is escaped as well
import re

_Q = re.compile("(['`\u2018\u2019\u201a\u201b])")

def powershell_list(items: list[int | list[object] | dict[object, object] | str | None]) -> str:
    return "@(" + ", ".join("'" + _Q.sub(r"\1\1", str(x)) + "'" for x in items) + ")"
