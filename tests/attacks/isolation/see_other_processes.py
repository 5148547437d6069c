# what: what other processes in /proc tell
# control: bare
# held: returned quiet EACCES
import os


def attack(host):
    reached = []
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) != os.getpid():
            for name in ("status", "cmdline", "stat", "environ", "maps", "comm"):
                try:
                    with open(f"/proc/{entry}/{name}") as stream:
                        reached.append([entry, name, stream.read(20)])
                except OSError:
                    continue
    return reached
