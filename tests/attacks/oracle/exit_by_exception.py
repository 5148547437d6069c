# what: success by ending: exit by exception
# control: exit_code
# held: exited
import sys


def f(x):
    sys.exit(0)
