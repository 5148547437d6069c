# what: a note for the next job in System V memory and message queues
# control: beside
# held: returned ENOENT ENOSYS EPERM
# twice: yes
import ctypes


def attack(host):
    libc = ctypes.CDLL(None, use_errno=True)
    found = []
    for name, call in (
        ("memory", lambda: libc.shmget(0x70AD, 4096, 0)),
        ("queue", lambda: libc.msgget(0x70AD, 0)),
        ("semaphore", lambda: libc.semget(0x70AD, 1, 0)),
    ):
        try:
            if call() == -1:
                raise OSError(ctypes.get_errno(), name)
            found.append(name)
        except OSError:
            continue
    libc.shmget(0x70AD, 4096, 0o1666)
    libc.msgget(0x70AD, 0o1666)
    libc.semget(0x70AD, 1, 0o1666)
    return found
