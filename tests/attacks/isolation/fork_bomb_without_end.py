# what: processes that make processes
# control: loose
# held: process_limit
# limits: processes=16 case_timeout_s=5
# loose: processes=128
import os
import time


def attack(host):
    depth = 0
    # A tree of 64 processes where it is allowed, and of any size where nobody stops it.
    for _ in range(6):
        if os.fork() == 0:
            depth += 1
    if depth:
        time.sleep(1)
        os._exit(0)
    # The answer shall not come before the last fork was tried.
    time.sleep(0.5)
    return ["64"]
