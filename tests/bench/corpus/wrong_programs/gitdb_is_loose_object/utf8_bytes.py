# wrong: encodes the characters as UTF-8, so characters from 128 on give other bytes
def is_loose_object(m: list[str]) -> bool:
    b0, b1 = "".join(m[:2]).encode("utf-8")[:2]
    return b0 == 0x78 and ((b0 << 8) + b1) % 31 == 0
