# what: more memory than is allowed, in files that lie in memory
# control: loose
# held: memory
# limits: memory_bytes=67108864 case_timeout_s=20
# loose: memory_bytes=536870912
import os


def attack(host):
    block = b"z" * (1 << 20)
    for path in ("/dev/shm/large", "/tmp/large"):
        with open(path, "wb") as stream:
            for _ in range(100):
                stream.write(block)
    descriptor = os.memfd_create("large")
    for _ in range(100):
        os.write(descriptor, block)
    return ["300 MiB"]
