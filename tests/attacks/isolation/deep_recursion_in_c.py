# what: a stack that overflows
# control: bare_crash
# held: killed raised RecursionError
import sys


def attack(host):
    sys.setrecursionlimit(10**9)

    class Node:
        def __repr__(self):
            return repr([self])

    return [repr(Node())]
