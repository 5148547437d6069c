# what: more open files than is allowed
# control: privileged
# held: raised EMFILE
import os
import resource


def attack(host):
    if host["privileged"]:
        resource.setrlimit(resource.RLIMIT_NOFILE, resource.getrlimit(resource.RLIMIT_NOFILE))
        return ["no limit was set by the sandbox"] if os.getuid() == 0 else []
    kept = [os.open("/dev/null", os.O_RDONLY) for _ in range(5000)]
    return [str(len(kept))]
