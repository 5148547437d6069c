# what: more output than is allowed
# control: loose
# held: output_limit
# limits: output_bytes=1048576 case_timeout_s=20
# loose: output_bytes=33554432
import os


def write(descriptor, data):
    # A pipe may take less than it is offered.
    while data:
        data = data[os.write(descriptor, data) :]


def attack(host):
    for _ in range(8):
        write(1, b"o" * (1 << 20))
        write(2, b"e" * (1 << 20))
    return ["16 MiB"]
