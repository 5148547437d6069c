# what: more disk than is allowed
# control: bare
# held: raised EFBIG ENOSPC
# limits: memory_bytes=1073741824 case_timeout_s=30
import os


def attack(host):
    # Sparse on the host, so that the control fills no disk; in the sandbox the size itself is refused.
    path = "large.bin"
    with open(path, "wb") as stream:
        stream.truncate(3 << 30)
        size = os.fstat(stream.fileno()).st_size
    os.unlink(path)
    return [str(size)]
