# what: clocks that say no time went by
# control: self_timed
# held: timed_out
# limits: case_timeout_s=0.5
import time

real = time.monotonic
start = real()
time.time = time.monotonic = time.perf_counter = time.process_time = lambda: 0.0


def f(x):
    while real() - start < 2:
        pass
    return x * 31 + 7
