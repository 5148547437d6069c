# Wrong: a value far below the range comes back in two's complement, not as the digits of the absolute value of the sum.
import struct


def pack_bitstring(length: int, is_float: bool, value: float, signed: bool) -> str:
    if is_float:
        raw = struct.pack({32: ">f", 64: ">d"}[length], value)
        return "".join("{:08b}".format(b) for b in raw)
    total = int(2 ** (length + 1) + value)
    if length > 0 and total < 0 and abs(total).bit_length() >= length:
        total %= 2 ** length
    return "{:0{}b}".format(total, length)[-length:]
