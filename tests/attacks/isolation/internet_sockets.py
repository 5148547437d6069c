# what: sockets of the internet families
# control: network
# held: returned EACCES
import socket


def attack(host):
    reached = []
    for family in (socket.AF_INET, socket.AF_INET6):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            try:
                with socket.socket(family, kind) as made:
                    made.settimeout(1)
                    made.bind(("127.0.0.1" if family == socket.AF_INET else "::1", 0))
                    reached.append(f"{family.name} {kind.name}")
            except OSError:
                continue
    return reached
