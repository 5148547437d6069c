# Wrong: leaves out the directory written as "." in the path, as if it were the same entry as the relative start.
import os


def get_filenames(path: str, filename: str) -> list[str]:
    result = []
    while True:
        if os.path.basename(path) != ".":
            result.append(os.path.join(path, filename))
        parent = os.path.dirname(path)
        if parent == path:
            return result
        path = parent
