# what: a local socket of the host in a folder
# control: bare
# held: returned ENOENT
import socket


def attack(host):
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.settimeout(2)
            made.connect(host["socket"])
            return [made.recv(100).decode()]
    except OSError:
        return []
