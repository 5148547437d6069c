# what: descriptors that were left open
# control: leaky
# held: returned ENOENT
import os


def attack(host):
    reached = []
    for entry in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink("/proc/self/fd/" + entry)
        except OSError:
            continue
        known = target.startswith(("pipe:", "/proc/", "host:")) or target in ("/dev/null", "null")
        if not known:
            reached.append(target)
    return reached
