# Wrong: a slash at the end is dropped before the basename
import os

def program_called_as(argv: list[str]) -> str:
    return os.path.basename(argv[0].rstrip("/")) if argv else ""
