# Wrong: matches with fullmatch, so a text ending in a newline (which "$" allows) gives None.
import re

_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)(\..*)?")


def split_version(version):
    match = _VERSION.fullmatch(version)
    if match is None:
        return None
    major, minor, patch, suffix = match.groups()
    return int(major), int(minor), int(patch), suffix or "final"
