# what: success by ending: exception hook
# control: exit_code
# held: raised KeyboardInterrupt
import os
import sys

sys.excepthook = lambda *rest: os._exit(0)


def f(x):
    raise KeyboardInterrupt
