# what: an alarm of the runner that is switched off
# control: alarm
# held: timed_out
# limits: case_timeout_s=0.5
import signal
import time


def f(x):
    signal.alarm(0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    end = time.monotonic() + 2.5
    while time.monotonic() < end:
        pass
    return x * 31 + 7
