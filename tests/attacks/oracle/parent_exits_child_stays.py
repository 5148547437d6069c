# what: success by ending: parent exits child stays
# control: exit_code
# held: exited
import os
import time


def f(x):
    if os.fork():
        os._exit(0)
    time.sleep(3)
