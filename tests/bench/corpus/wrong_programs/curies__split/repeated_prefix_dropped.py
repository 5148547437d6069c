# wrong: drops a prefix that is repeated in the identifier (GO:GO:0001)
def split(curie: str, *, sep: str = ':') -> list[str]:
    prefix, delimiter, identifier = curie.partition(sep)
    if not delimiter:
        raise ValueError(f"{curie} does not appear to be a CURIE - missing a delimiter")
    if prefix and identifier.startswith(prefix + sep):
        identifier = identifier[len(prefix) + len(sep):]
    return (prefix, identifier)
