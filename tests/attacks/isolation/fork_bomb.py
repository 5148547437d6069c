# what: more processes than is allowed
# control: loose
# held: process_limit
# limits: processes=16 case_timeout_s=10
# loose: processes=128
import os
import signal
import time


def attack(host):
    children = []
    for _ in range(60):
        pid = os.fork()
        if pid == 0:
            time.sleep(30)
            os._exit(0)
        children.append(pid)
    for pid in children:
        os.kill(pid, signal.SIGKILL)
    return [str(len(children))]
