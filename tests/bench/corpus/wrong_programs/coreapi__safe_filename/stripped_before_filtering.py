# spaces and dots at the ends are taken off before the unsafe characters are removed, so those that come to the end by the removal stay
import os

KEPT = (" ", ".", "_", "-")


def safe_filename(filename):
    name = os.path.basename(filename).strip().strip(".")
    name = "".join(ch for ch in name if ch.isalnum() or ch in KEPT)
    return name
