# Wrong: a version of two numbers is accepted, with 0 for the third, instead of giving None.
import re

_VERSION = re.compile(r"^(\d+)\.(\d+)(?:\.(\d+)(\..*)?)?$")


def split_version(version):
    match = _VERSION.search(version)
    if match is None:
        return None
    major, minor, patch, suffix = match.groups()
    return int(major), int(minor), int(patch or 0), suffix or "final"
