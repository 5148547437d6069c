# what: more time than is allowed, where no signal handler of Python runs
# control: loose
# held: timed_out
# limits: case_timeout_s=0.5
# loose: case_timeout_s=60
import re
import signal


def attack(host):
    for number in range(1, 32):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            continue
    re.match(r"(a+)+$", "a" * 27 + "b")
    return ["done"]
