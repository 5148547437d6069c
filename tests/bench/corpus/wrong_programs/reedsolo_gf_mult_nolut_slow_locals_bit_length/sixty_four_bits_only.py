# Wrong: halves the width from 32 bits down, which covers 64 bits only.
def bit_length(n):
    bits = 0
    for step in (32, 16, 8, 4, 2, 1):
        if n >> step:
            n >>= step
            bits += step
    return bits + (1 if n else 0)
