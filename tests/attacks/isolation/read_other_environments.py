# what: environment variables of other processes
# control: bare
# held: returned quiet ENOENT EACCES ENOTDIR
import os


def attack(host):
    reached = []
    for entry in os.listdir("/proc"):
        for name in ("environ", "cmdline"):
            try:
                if host["secret"].encode() in open(f"/proc/{entry}/{name}", "rb").read():
                    reached.append(f"{entry}/{name}")
            except OSError:
                continue
    return reached
