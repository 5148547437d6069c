# what: user and group 0
# control: privileged
# held: returned EPERM
import os


def attack(host):
    calls = {
        "setuid": lambda: os.setuid(0),
        "setgid": lambda: os.setgid(0),
        "setresuid": lambda: os.setresuid(0, 0, 0),
        "setresgid": lambda: os.setresgid(0, 0, 0),
        "seteuid": lambda: os.seteuid(0),
        "setgroups": lambda: os.setgroups([0]),
    }
    reached = []
    for name, call in calls.items():
        try:
            call()
            reached.append(name)
        except OSError:
            continue
    return reached
