# what: killing a neighbour, the first process, the parent, the group
# control: beside
# held: returned EPERM ESRCH
import os
import signal


def attack(host):
    reached = []
    for pid in {host["victim"], os.getppid() or 1, 1}:
        if pid == os.getpid():
            continue
        try:
            os.kill(pid, signal.SIGKILL if pid == host["victim"] else 0)
            reached.append(str(pid))
        except OSError:
            continue
    return reached
