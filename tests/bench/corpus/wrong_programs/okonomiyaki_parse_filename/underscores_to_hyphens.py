# wrong: turns underscores of the name back into hyphens
import os
import re

_EGG = re.compile(
    r"^(?P<name>[^.-]+)-(?P<version>[^-]+)-py(?P<pyver>\d+\.\d+)(-(?P<platform>.+))?\.egg$"
)


def parse_filename(path: str) -> list[str | None]:
    match = _EGG.match(os.path.basename(path))
    if not match:
        raise ValueError("not an egg: " + path)
    name = match.group("name").replace("_", "-")
    return name, match.group("version"), match.group("pyver"), match.group("platform")
