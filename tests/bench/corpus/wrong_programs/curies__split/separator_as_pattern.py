# wrong: the separator is taken as a regular expression
import re


def split(curie: str, *, sep: str = ':') -> list[str]:
    parts = re.split(sep, curie, maxsplit=1)
    if len(parts) < 2:
        raise ValueError(f"{curie} does not appear to be a CURIE - missing a delimiter")
    return tuple(parts)
