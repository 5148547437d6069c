# what: more memory than is allowed, in many processes
# control: loose
# held: memory
# limits: memory_bytes=67108864 case_timeout_s=20 processes=32
# loose: memory_bytes=1073741824 processes=64
import os


def attack(host):
    children = []
    for _ in range(16):
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            kept = bytearray(b"y" * (16 << 20))
            os.write(write, b"1")
            import time

            time.sleep(30)
            os._exit(len(kept) & 1)
        os.close(write)
        children.append((pid, read))
    alive = [pid for pid, read in children if os.read(read, 1) == b"1"]
    # All of them hold their memory at this moment: 256 MiB in sum.
    if len(alive) < 16:
        raise MemoryError("some were killed")
    return [str(len(alive))]
