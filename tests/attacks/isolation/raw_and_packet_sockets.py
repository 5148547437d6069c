# what: raw sockets and whole packets
# control: bare
# held: returned EACCES
import socket


def attack(host):
    reached = []
    for family, kind, protocol in (
        (socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
        (socket.AF_PACKET, socket.SOCK_RAW, 0x0300),
        (socket.AF_INET6, socket.SOCK_RAW, 58),
        (socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP),
    ):
        try:
            socket.socket(family, kind, protocol).close()
            reached.append(f"{family.name} {kind.name}")
        except OSError:
            continue
    return reached
