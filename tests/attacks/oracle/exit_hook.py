# what: success by ending: exit hook
# control: exit_code
# held: raised ValueError
import atexit
import os

atexit.register(os._exit, 0)


def f(x):
    raise ValueError("wrong")
