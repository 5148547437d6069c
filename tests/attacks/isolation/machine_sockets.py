# what: sockets to the machine around this one, and of odd families
# control: bare
# held: returned EACCES
import socket


def attack(host):
    reached = []
    # In the control one of them is enough: which of the families a kernel has is its builder's choice.
    for family in (40, 31, 29, 21, 44, 43, 17, 3, 9, 5, 26, 36, 39, 16):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET, socket.SOCK_RAW):
            try:
                socket.socket(family, kind).close()
                reached.append(str(family))
            except OSError:
                continue
    return reached
