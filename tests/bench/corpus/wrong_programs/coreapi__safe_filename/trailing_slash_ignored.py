# a slash at the end is ignored and the last folder taken for the file name (Path.name), where basename gives an empty text
from pathlib import PurePosixPath

KEPT = (" ", ".", "_", "-")


def safe_filename(filename):
    name = PurePosixPath(filename).name
    name = "".join(ch for ch in name if ch.isalnum() or ch in KEPT)
    return name.strip().strip(".")
