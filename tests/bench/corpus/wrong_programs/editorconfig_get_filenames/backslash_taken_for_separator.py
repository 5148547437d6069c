# Wrong: takes a backslash in the path for a directory separator, although only the separator of os.path counts.
import os


def get_filenames(path: str, filename: str) -> list[str]:
    path = path.replace("\\", "/")
    result = []
    while True:
        result.append(os.path.join(path, filename))
        parent = os.path.dirname(path)
        if parent == path:
            return result
        path = parent
