# what: resource limits of a neighbour
# control: beside
# held: returned EPERM ESRCH
import resource


def attack(host):
    try:
        resource.prlimit(host["victim"], resource.RLIMIT_NOFILE, (8, 8))
        return ["limited"]
    except OSError:
        return []
