# what: a file of the host by walking the whole tree
# control: bare
# held: returned quiet
import os


def attack(host):
    wanted = os.path.basename(host["file"])
    start = "/" if not host["bare"] else os.path.dirname(host["file"])
    for folder, folders, files in os.walk(start):
        folders[:] = [name for name in folders if name not in ("proc", "usr", "lib")]
        if wanted in files:
            return [os.path.join(folder, wanted)]
    return []
