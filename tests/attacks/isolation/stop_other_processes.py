# what: stopping a neighbour and changing its priority
# control: beside
# held: returned EPERM ESRCH
import os
import signal


def attack(host):
    reached = []
    for name, call in (
        ("stop", lambda: os.kill(host["victim"], signal.SIGSTOP)),
        ("priority", lambda: os.setpriority(os.PRIO_PROCESS, host["victim"], 19)),
        ("affinity", lambda: os.sched_setaffinity(host["victim"], {0})),
    ):
        try:
            call()
            reached.append(name)
        except OSError:
            continue
    try:
        os.kill(host["victim"], signal.SIGCONT)
    except OSError:
        pass
    return reached
