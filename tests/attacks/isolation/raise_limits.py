# what: resource limits above what was given
# control: privileged
# held: returned ValueError
import resource


def attack(host):
    reached = []
    for name in ("NOFILE", "CORE", "NPROC", "MEMLOCK", "CPU", "FSIZE"):
        number = getattr(resource, "RLIMIT_" + name)
        _, hard = resource.getrlimit(number)
        if hard == resource.RLIM_INFINITY:
            continue
        try:
            resource.setrlimit(number, (hard + 1, hard + 1))
            reached.append(name)
        except (OSError, ValueError):
            continue
    if not reached and host["privileged"]:
        # This machine itself may lack the capability: then changing the root shows that privileges were kept.
        import os

        os.chroot("/work")
        reached.append("chroot")
    return reached
