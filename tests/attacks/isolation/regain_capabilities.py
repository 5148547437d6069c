# what: capabilities of a process and its children
# control: privileged
# held: returned quiet
import subprocess


def attack(host):
    reached = []
    texts = [open("/proc/self/status").read()]
    texts.append(subprocess.run(["/usr/bin/cat", "/proc/self/status"], capture_output=True, text=True).stdout)
    for text in texts:
        found = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
        reached += [name for name in ("CapPrm", "CapEff", "CapAmb", "CapInh") if int(found.get(name, "0"), 16)]
    return reached
