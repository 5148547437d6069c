# what: a better place at the processor
# control: privileged
# held: returned EPERM EINVAL
import os


def attack(host):
    reached = []
    try:
        os.nice(-5)
        reached.append("nice")
    except OSError:
        pass
    for policy in (os.SCHED_FIFO, os.SCHED_RR):
        try:
            os.sched_setscheduler(0, policy, os.sched_param(10))
            reached.append(str(policy))
        except OSError:
            pass
    return reached
