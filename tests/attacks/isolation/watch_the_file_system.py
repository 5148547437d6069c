# what: events of the whole file system
# control: privileged
# held: returned EPERM ENOSYS forbidden
import ctypes
import platform


def attack(host):
    libc = ctypes.CDLL(None, use_errno=True)
    number = 262 if platform.machine() == "aarch64" else 300
    try:
        if libc.syscall(number, 0, 0) < 0:
            raise OSError(ctypes.get_errno(), "fanotify_init")
    except OSError:
        return []
    return ["fanotify"]
