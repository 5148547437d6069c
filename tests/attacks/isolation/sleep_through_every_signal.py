# what: more time than is allowed, asleep, with all signals blocked
# control: loose
# held: timed_out
# limits: case_timeout_s=0.5
# loose: case_timeout_s=20
import signal
import time


def attack(host):
    signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals))
    time.sleep(2)
    return ["slept"]
