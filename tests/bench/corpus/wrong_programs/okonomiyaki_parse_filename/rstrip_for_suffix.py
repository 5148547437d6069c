# wrong: rstrip(".egg") takes off all of these characters at the end, of the platform as well
import os
import re

_STEM = re.compile(
    r"^(?P<name>[^.-]+)-(?P<version>[^-]+)-py(?P<pyver>\d+\.\d+)(-(?P<platform>.+))?$"
)


def parse_filename(path: str) -> list[str | None]:
    base = os.path.basename(path).rstrip("\n")
    if not base.endswith(".egg"):
        raise ValueError(path)
    match = _STEM.match(base.rstrip(".egg"))
    if match is None:
        raise ValueError(path)
    return match.group("name"), match.group("version"), match.group("pyver"), match.group("platform")
