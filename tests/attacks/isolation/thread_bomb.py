# what: more threads than is allowed
# control: loose
# held: process_limit
# limits: processes=16 case_timeout_s=10
# loose: processes=256
import threading


def attack(host):
    done = threading.Event()
    threads = [threading.Thread(target=done.wait, args=(5,), daemon=True) for _ in range(100)]
    for thread in threads:
        thread.start()
    done.set()
    return [str(len(threads))]
