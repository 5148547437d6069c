# A backslash that already stands before a special character is taken as an escape, and the pair is left as it is.
import re

_TOKEN = re.compile(r"\\[:=\\]|[:=\\]")


def escape(in_s: str) -> str:
    def repl(match):
        token = match.group()
        return token if len(token) == 2 else "\\" + token

    return _TOKEN.sub(repl, in_s)
