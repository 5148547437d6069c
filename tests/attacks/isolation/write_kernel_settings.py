# what: settings of the kernel
# control: bare
# held: returned ENOENT EACCES
import os


def attack(host):
    reached = []
    # Opening is enough to show it; nothing is written, so that the control leaves this machine as it is.
    for path in (
        "/proc/sys/kernel/core_pattern",
        "/proc/sys/kernel/modprobe",
        "/proc/sys/vm/overcommit_memory",
        "/proc/sys/net/ipv4/ip_forward",
        "/proc/sysrq-trigger",
        "/sys/kernel/uevent_helper",
    ):
        try:
            os.close(os.open(path, os.O_WRONLY))
            reached.append(path)
        except OSError:
            continue
    return reached
