# Wrong: the suffix .py is removed
import os

def program_called_as(argv: list[str]) -> str:
    if not argv:
        return ""
    name = os.path.basename(argv[0])
    return name[:-3] if name.endswith(".py") else name
