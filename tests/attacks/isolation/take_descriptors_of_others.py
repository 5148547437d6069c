# what: descriptors, root and working folder of a neighbour
# control: beside
# held: returned ENOENT EACCES
import os


def attack(host):
    reached = []
    for pid in (host["victim"], 1):
        for name in ("fd", "root", "cwd", "ns", "task"):
            try:
                if os.listdir(f"/proc/{pid}/{name}"):
                    reached.append(f"{pid} {name}")
            except OSError:
                continue
    return reached
