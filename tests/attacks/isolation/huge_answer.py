# what: an answer larger than is allowed
# control: loose
# held: output_limit
# limits: output_bytes=1048576
# loose: output_bytes=33554432 case_timeout_s=30
def attack(host):
    return ["a" * (24 << 20)]
