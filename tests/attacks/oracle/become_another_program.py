# what: success by ending: become another program
# control: exit_code
# held: exited
import os


def f(x):
    os.execv("/usr/bin/true", ["true"])
