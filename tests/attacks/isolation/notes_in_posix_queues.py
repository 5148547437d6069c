# what: a note for the next job in a POSIX message queue
# control: beside
# held: returned ENOSYS ENOENT EPERM EACCES
# twice: yes
import ctypes
import os


def attack(host):
    libc = ctypes.CDLL(None, use_errno=True)
    found = []
    try:
        if libc.mq_open(b"/note", os.O_RDONLY | os.O_NONBLOCK) == -1:
            raise OSError(ctypes.get_errno(), "mq_open")
        found.append("queue")
    except OSError:
        pass
    libc.mq_open(b"/note", os.O_CREAT | os.O_RDWR, 0o666, None)
    # Where the C library has none in this binary, the abstract namespace of sockets serves as well.
    import socket

    listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        listener.bind("\0note")
    except OSError:
        found.append("socket")
    # Kept open past the end of this function, so that a neighbour can see it.
    globals()["kept"] = listener
    return found
