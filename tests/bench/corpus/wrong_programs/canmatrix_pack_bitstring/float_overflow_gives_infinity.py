# Wrong: a number too large for single precision becomes infinity, no OverflowError.
import struct


def pack_bitstring(length: int, is_float: bool, value: float, signed: bool) -> str:
    if is_float:
        fmt = {32: ">f", 64: ">d"}[length]
        try:
            raw = struct.pack(fmt, value)
        except OverflowError:
            raw = struct.pack(fmt, float("inf") if value > 0 else float("-inf"))
        return "".join("{:08b}".format(b) for b in raw)
    total = int(2 ** (length + 1) + value)
    return "{:0{}b}".format(total, length)[-length:]
