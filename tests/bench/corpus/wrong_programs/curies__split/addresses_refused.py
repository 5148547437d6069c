# wrong: refuses texts that look like web addresses, which no rule asks for
def split(curie: str, *, sep: str = ':') -> list[str]:
    prefix, delimiter, identifier = curie.partition(sep)
    if not delimiter or identifier.startswith("//"):
        raise ValueError(f"{curie} does not appear to be a CURIE - missing a delimiter")
    return (prefix, identifier)
