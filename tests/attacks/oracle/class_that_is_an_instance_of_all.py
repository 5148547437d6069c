# what: a class whose own class lies
# control: compare
# held: raised UnportableError
class Meta(type):
    def __eq__(cls, other):
        return True

    def __hash__(cls):
        return hash(int)

    def __instancecheck__(cls, instance):
        return True


class Yes(metaclass=Meta):
    pass


def f(x):
    return Yes
