# what: a dataclass with an equality of its own
# control: compare
# held: wrong_output
from dataclasses import dataclass


@dataclass(eq=False)
class Yes:
    value: int = 0

    def __eq__(self, other):
        return True


def f(x):
    return Yes()
