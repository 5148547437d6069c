# Wrong: stops on reaching "/" without giving the file in the root directory itself.
import os


def get_filenames(path: str, filename: str) -> list[str]:
    result = []
    while path != "/":
        result.append(os.path.join(path, filename))
        parent = os.path.dirname(path)
        if parent == path:
            break
        path = parent
    return result
