# Wrong: the backslash separates on every system (ntpath)
import ntpath

def program_called_as(argv: list[str]) -> str:
    return ntpath.basename(argv[0]) if argv else ""
