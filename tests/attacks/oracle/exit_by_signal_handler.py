# what: success by ending: exit by signal handler
# control: exit_code
# held: exited
import os
import signal
import time


def f(x):
    signal.signal(signal.SIGALRM, lambda *_: os._exit(0))
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    time.sleep(5)
