# what: a class whose metaclass shows other contents than it has, to be taken for a named tuple
# control: compare
# held: raised UnportableError
class Disguise(type):
    __dict__ = property(lambda self: {"_fields": ("a", "b")})


class Yes(tuple, metaclass=Disguise):
    def __eq__(self, other):
        return True

    __hash__ = tuple.__hash__


def f(x):
    return Yes((1,))
