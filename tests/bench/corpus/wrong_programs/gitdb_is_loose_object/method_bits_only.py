# wrong: looks at the method bits of the first byte only (8 = deflate), not at the whole byte 0x78
def is_loose_object(m: list[str]) -> bool:
    b0, b1 = map(ord, m[:2])
    return b0 & 0x0F == 8 and (b0 << 8 | b1) % 31 == 0 if b1 < 256 else False
