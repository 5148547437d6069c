# what: sockets that talk to the kernel
# control: bare
# held: returned EACCES
import socket


def attack(host):
    reached = []
    for name, family, kind, protocols in (
        ("netlink", 16, socket.SOCK_RAW, range(0, 22)),
        ("alg", 38, socket.SOCK_SEQPACKET, (0,)),
        ("key", 15, socket.SOCK_RAW, (2,)),
    ):
        for protocol in protocols:
            try:
                socket.socket(family, kind, protocol).close()
                reached.append(f"{name} {protocol}")
            except OSError:
                continue
    return reached
