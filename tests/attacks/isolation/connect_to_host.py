# what: a service that listens on the host's loopback
# control: network
# held: returned EACCES
import socket


def attack(host):
    try:
        with socket.create_connection(("127.0.0.1", host["port"]), 2) as made:
            return [made.recv(100).decode()]
    except OSError:
        return []
