# what: writing outside of the working folders
# control: privileged
# held: returned EROFS EACCES ENOENT EISDIR
import ctypes
import os


def attack(host):
    if host["privileged"]:
        # Elsewhere trying would end this process before it wrote anything.
        ctypes.CDLL(None, use_errno=True).mount(b"none", b"/", None, 32 | 4096, None)
    reached = []
    for folder in (
        "/",
        "/etc",
        "/usr",
        "/usr/lib",
        "/usr/bin",
        "/dev",
        "/runtime",
        "/runtime/site",
        "/harness",
        "/library",
        "/lib",
        "/toolchains",
    ):
        try:
            with open(folder + "/attacked", "w") as stream:
                stream.write("x")
            os.unlink(folder + "/attacked")
            reached.append(folder)
        except OSError:
            continue
    return reached
