# wrong: takes off the square brackets of a "safe CURIE" before splitting
def split(curie: str, *, sep: str = ':') -> list[str]:
    if curie.startswith("[") and curie.endswith("]"):
        curie = curie[1:-1]
    if sep not in curie:
        raise ValueError(f"{curie} does not appear to be a CURIE - missing a delimiter")
    prefix, identifier = curie.split(sep, 1)
    return (prefix, identifier)
