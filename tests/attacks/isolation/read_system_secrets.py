# what: system files that hold secrets
# control: bare
# held: returned ENOENT
import os


def attack(host):
    reached = []
    for path in (
        "/etc/shadow",
        "/etc/gshadow",
        "/etc/sudoers",
        "/etc/machine-id",
        "/etc/ssl/private",
        "/var/log",
        "/var/lib",
        "/boot",
        "/root/.profile",
        "/root/.bashrc",
        "/home",
        "/run",
        "/srv",
        "/opt",
        "/mnt",
    ):
        try:
            found = os.listdir(path) if os.path.isdir(path) else open(path, "rb").read(1)
        except OSError:
            continue
        if found:
            reached.append(path)
    return reached
