# what: a process that stops itself
# control: loose
# held: timed_out
# limits: case_timeout_s=0.5
# loose: case_timeout_s=20
import os
import signal
import time


def attack(host):
    # Somebody must wake it again; in the control it is awaited long enough for its own child to do so.
    if os.fork() == 0:
        time.sleep(2)
        os.kill(os.getppid(), signal.SIGCONT)
        os._exit(0)
    os.kill(os.getpid(), signal.SIGSTOP)
    return ["woke up"]
