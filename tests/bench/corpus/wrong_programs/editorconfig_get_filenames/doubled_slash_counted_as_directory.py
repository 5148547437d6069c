# Wrong: cuts the path at every "/", so a doubled slash counts as one more directory (dirname takes the slashes off together).
import os


def get_filenames(path: str, filename: str) -> list[str]:
    absolute = path.startswith("/")
    if path.strip("/") == "":
        return [os.path.join(path, filename)]
    parts = path.split("/")
    result = []
    for count in range(len(parts), 0, -1):
        directory = "/".join(parts[:count])
        if absolute and directory == "":
            directory = "/"
        result.append(os.path.join(directory, filename))
    if not absolute:
        result.append(filename)
    return result
