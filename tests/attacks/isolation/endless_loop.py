# what: more time than is allowed
# control: loose
# held: timed_out
# limits: case_timeout_s=0.5
# loose: case_timeout_s=20
import time


def attack(host):
    end = time.monotonic() + 2
    while time.monotonic() < end:
        pass
    return ["2 s"]
