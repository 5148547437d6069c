# Lower case is looked up in a table of the 16-bit characters only, so upper-case letters beyond stay as they are.
_LOWER = {chr(code): chr(code).lower() for code in range(0x10000)}


def define_stoplist(stoplist: str) -> object:
    return frozenset(_LOWER.get(word, word) for word in stoplist)
