# what: a named tuple with an equality of its own
# control: compare
# held: raised UnportableError
from collections import namedtuple


class Yes(namedtuple("Yes", "value")):
    def __eq__(self, other):
        return True


def f(x):
    return Yes(0)
