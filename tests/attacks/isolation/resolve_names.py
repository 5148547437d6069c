# what: a datagram to the outside
# control: network
# held: returned EACCES
import socket


def attack(host):
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
            made.sendto(b"note", ("127.0.0.1", host["datagram_port"]))
            made.settimeout(2)
            return [made.recvfrom(100)[0].decode()]
    except OSError:
        return []
