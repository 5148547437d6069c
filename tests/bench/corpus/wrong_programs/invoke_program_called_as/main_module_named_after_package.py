# Wrong: __main__.py is replaced by the name of its folder
import os

def program_called_as(argv: list[str]) -> str:
    if not argv:
        return ""
    folder, name = os.path.split(argv[0])
    if name == "__main__.py":
        name = os.path.basename(folder)
    return name
