# what: file systems of one's own
# control: privileged
# held: forbidden
import ctypes


def attack(host):
    libc = ctypes.CDLL(None, use_errno=True)
    reached = []
    for kind in (b"proc", b"tmpfs", b"sysfs", b"cgroup2", b"devpts", b"mqueue"):
        if libc.mount(b"none", b"/tmp", kind, 0, None) == 0:
            reached.append(kind.decode())
    return reached
