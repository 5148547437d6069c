# what: a device of one's own
# control: privileged
# held: returned EPERM EROFS
import os
import stat


def attack(host):
    reached = []
    for kind, major, minor in ((stat.S_IFBLK, 254, 0), (stat.S_IFCHR, 1, 1), (stat.S_IFBLK, 8, 0)):
        for folder in ("/work", "/tmp", "/dev/shm", "/dev"):
            try:
                os.mknod(f"{folder}/device-{major}-{minor}", kind | 0o666, os.makedev(major, minor))
                reached.append(folder)
            except OSError:
                continue
    return reached
