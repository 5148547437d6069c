# what: a local socket of the host without a path
# control: network
# held: returned ECONNREFUSED EPERM
import socket


def attack(host):
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.settimeout(2)
            made.connect("\0" + host["abstract"])
            return [made.recv(100).decode()]
    except OSError:
        return []
