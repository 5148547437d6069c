# Wrong: strips white space before the text first, so indented texts that do not match are accepted.
import re

_VERSION = re.compile(r"^(\d+)\.(\d+)\.(\d+)(\..*)?$")


def split_version(version):
    match = _VERSION.search(version.lstrip())
    if match is None:
        return None
    major, minor, patch, suffix = match.groups()
    return int(major), int(minor), int(patch), suffix or "final"
