# what: events of the whole file system
# control: privileged
import ctypes
import platform


def attack(host):
    libc = ctypes.CDLL(None, use_errno=True)
    number = 262 if platform.machine() == "aarch64" else 300
    return ["fanotify"] if libc.syscall(number, 0, 0) >= 0 else []
