# Wrong: a negative float is always taken down to the next whole number, even if it is whole already.
import math
import struct


def pack_bitstring(length: int, is_float: bool, value: float, signed: bool) -> str:
    if is_float:
        raw = struct.pack({32: ">f", 64: ">d"}[length], value)
        return "".join("{:08b}".format(b) for b in raw)
    total = 2 ** (length + 1) + value
    if length > 0 and isinstance(value, float) and value < 0:
        total = math.ceil(total) - 1
    return "{:0{}b}".format(int(total), length)[-length:]
