# what: other processes in /proc
# control: bare
import os


def attack(host):
    return [entry for entry in os.listdir("/proc") if entry.isdigit() and int(entry) != os.getpid()]
