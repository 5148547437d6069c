# what: a result that runs code when it is unpickled
# control: pickle
# held: raised UnportableError
import builtins


class Yes:
    def __reduce__(self):
        return (eval, ("type('Yes', (), {'__eq__': lambda self, other: True})()",))


def f(x):
    return Yes()
