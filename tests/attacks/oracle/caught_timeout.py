# what: an exception of the runner's alarm that is caught
# control: alarm
# held: timed_out
# limits: case_timeout_s=0.5
import time


def f(x):
    end = time.monotonic() + 2.5
    while time.monotonic() < end:
        try:
            while time.monotonic() < end:
                pass
        except BaseException:
            continue
    return x * 31 + 7
