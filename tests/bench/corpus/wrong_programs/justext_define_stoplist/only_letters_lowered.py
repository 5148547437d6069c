# Only alphabetic characters are lowered, so Roman numerals and circled letters, which have case but are no letters, stay upper case.
def define_stoplist(stoplist: str) -> object:
    return frozenset(word.lower() if word.isalpha() else word for word in stoplist)
