# Wrong: compiled with DOTALL, so the suffix runs on over line ends.
import re

_VERSION = re.compile(r"^(\d+)\.(\d+)\.(\d+)(\..*)?$", re.DOTALL)


def split_version(version):
    match = _VERSION.search(version)
    if match is None:
        return None
    major, minor, patch, suffix = match.groups()
    return int(major), int(minor), int(patch), suffix or "final"
