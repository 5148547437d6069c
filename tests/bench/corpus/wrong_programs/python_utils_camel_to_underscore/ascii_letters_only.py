# Wrong: only A-Z and a-z count as capital and small letters, not those of all scripts.
import re

_START = re.compile(r"(?<=[^A-Z_])(?=[A-Z])")
_LAST = re.compile(r"(?<=[A-Z])(?=[A-Z](?!s(?![a-z]))[a-z])")


def camel_to_underscore(name):
    name = _START.sub("_", name)
    return _LAST.sub("_", name).lower()
