# A word whose lower case has two characters (the dotted capital I) is taken apart into them.
from itertools import chain


def define_stoplist(stoplist: str) -> object:
    return frozenset(chain.from_iterable(word.lower() for word in stoplist))
