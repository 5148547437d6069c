# what: a process that outlives its job
# control: bare_daemon
# held: returned quiet
import os
import signal
import time


def attack(host):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for descriptor in (0, 1, 2):
                os.close(descriptor)
            for number in range(1, 32):
                try:
                    signal.signal(number, signal.SIG_IGN)
                except (OSError, ValueError):
                    continue
            for _ in range(50):
                try:
                    with open(host["heartbeat"], "a") as stream:
                        stream.write(".")
                except OSError:
                    pass
                time.sleep(0.1)
        os._exit(0)
    return []
