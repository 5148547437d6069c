# only one dot is taken off at each end, not all of them
import os

KEPT = (" ", ".", "_", "-")


def safe_filename(filename):
    name = os.path.basename(filename)
    name = "".join(ch for ch in name if ch.isalnum() or ch in KEPT)
    name = name.strip()
    if name.startswith("."):
        name = name[1:]
    if name.endswith("."):
        name = name[:-1]
    return name
