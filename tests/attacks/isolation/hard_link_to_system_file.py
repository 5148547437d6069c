# what: a name of one's own for a system file
# control: privileged
# held: returned EPERM EXDEV EROFS EACCES
import os


def attack(host):
    reached = []
    for path in ("/etc/passwd", "/usr/bin/env"):
        for target in (os.path.dirname(path) + "/linked", "/work/linked"):
            try:
                os.link(path, target)
                reached.append(target)
            except OSError:
                continue
    if host["privileged"]:
        import ctypes

        # Only a process that may remount gets further than this; elsewhere trying would end it before it can tell.
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.mount(b"none", b"/", None, 32 | 4096, None) == 0:
            os.link("/etc/passwd", "/etc/linked")
            reached.append("/etc/linked")
    return reached
