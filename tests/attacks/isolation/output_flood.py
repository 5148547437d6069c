# what: more output than is allowed
# control: loose
# held: output_limit
# limits: output_bytes=1048576 case_timeout_s=20
# loose: output_bytes=33554432
import os


def attack(host):
    for _ in range(8):
        os.write(1, b"o" * (1 << 20))
        os.write(2, b"e" * (1 << 20))
    return ["16 MiB"]
