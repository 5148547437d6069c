# what: a generator in place of a list
# control: compare_first
# held: raised UnportableError
# suite: first
import itertools


def f(x):
    return itertools.cycle([x])
