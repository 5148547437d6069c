# what: descriptors that were left open
# control: leaky
# held: returned ENOENT
import os
import stat


def attack(host):
    reached = []
    for entry in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink("/proc/self/fd/" + entry)
        except OSError:
            continue
        mode = os.fstat(int(entry)).st_mode
        # The null device of the host has no better name in gVisor.
        pipe = stat.S_ISFIFO(mode) or (stat.S_ISCHR(mode) and target.startswith("host:"))
        known = pipe or target.startswith("/proc/") or target in ("/dev/null", "null")
        if not known:
            reached.append(target)
    return reached
