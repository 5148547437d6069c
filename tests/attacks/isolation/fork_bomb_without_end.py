# what: processes that make processes
# control: loose
# held: process_limit returned EAGAIN
# limits: processes=16 case_timeout_s=8
# loose: processes=128
import os
import time


def attack(host):
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    first = os.getpid()
    # A tree of 64 processes where it is allowed, and of any size where nobody stops it.
    for _ in range(6):
        try:
            os.fork()
        except OSError:
            break
    os.write(writer, b".")
    if os.getpid() != first:
        time.sleep(6)
        os._exit(0)
    made, end = 0, time.monotonic() + 4
    while made < 64 and time.monotonic() < end:
        try:
            made += len(os.read(reader, 100))
        except BlockingIOError:
            time.sleep(0.02)
    return [str(made)] if made >= 64 else []
