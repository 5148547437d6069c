# what: success by ending: exit by exception
# control: exit_code
import sys


def f(x):
    sys.exit(0)
