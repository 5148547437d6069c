# Wrong: the last newline is also removed, together with what follows, where spaces or tabs stand behind it.
import re


def strip_last_newline(str: str) -> str:
    return re.sub(r"\n[ \t]*\Z", "", str)
