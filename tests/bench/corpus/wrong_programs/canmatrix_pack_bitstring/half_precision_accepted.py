# Wrong: length 16 is packed as a half precision float, not refused with KeyError.
import struct


def pack_bitstring(length: int, is_float: bool, value: float, signed: bool) -> str:
    if is_float:
        raw = struct.pack({16: ">e", 32: ">f", 64: ">d"}[length], value)
        return "".join("{:08b}".format(b) for b in raw)
    total = int(2 ** (length + 1) + value)
    return "{:0{}b}".format(total, length)[-length:]
