# what: processor time of many processes beyond the time limit
# control: loose
# held: timed_out
# limits: case_timeout_s=0.7 processes=32
# loose: case_timeout_s=30
import os


def attack(host):
    children = []
    for _ in range(8):
        pid = os.fork()
        if pid == 0:
            total = 0
            for number in range(24_000_000):
                total += number
            os._exit(0)
        children.append(pid)
    for pid in children:
        os.waitpid(pid, 0)
    return ["done"]
