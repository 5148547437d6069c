# what: more memory than is allowed
# control: loose
# held: memory
# limits: memory_bytes=67108864 case_timeout_s=20
# loose: memory_bytes=536870912
def attack(host):
    kept = [bytearray(b"x" * (1 << 20)) for _ in range(160)]
    return [f"{len(kept)} MiB"]
