# Only characters that are upper case are lowered, so title-case letters such as U+01C5 stay as they are.
def define_stoplist(stoplist: str) -> object:
    return frozenset(word.lower() if word.isupper() else word for word in stoplist)
