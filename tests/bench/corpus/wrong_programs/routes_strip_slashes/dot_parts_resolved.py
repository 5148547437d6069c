# Wrong: normalises the path, so "." and ".." parts are resolved.
import posixpath


def strip_slashes(name):
    if not name:
        return name
    return posixpath.normpath(name).strip("/")
