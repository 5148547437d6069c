# wrong: takes off only the first folder of the path
import re

_EGG = re.compile(
    r"^(?P<name>[^.-]+)-(?P<version>[^-]+)-py(?P<pyver>\d+\.\d+)(-(?P<platform>.+))?\.egg$"
)


def parse_filename(path: str) -> list[str | None]:
    filename = path.split("/", 1)[-1]
    match = _EGG.match(filename)
    if not match:
        raise ValueError("Invalid egg name: %r" % path)
    return match.group("name", "version", "pyver", "platform")
