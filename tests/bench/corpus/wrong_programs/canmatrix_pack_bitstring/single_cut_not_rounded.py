# Wrong: single precision is made from the double by cutting the mantissa, not by rounding to the nearest.
import math
import struct


def pack_bitstring(length: int, is_float: bool, value: float, signed: bool) -> str:
    if is_float:
        fmt = {32: ">f", 64: ">d"}[length]
        raw = struct.pack(fmt, value)
        if length == 32 and math.isfinite(value):
            single = struct.unpack(">f", raw)[0]
            if abs(single) > abs(value):
                # one step back toward zero
                raw = (int.from_bytes(raw, "big") - 1).to_bytes(4, "big")
        return "".join("{:08b}".format(b) for b in raw)
    total = int(2 ** (length + 1) + value)
    return "{:0{}b}".format(total, length)[-length:]
