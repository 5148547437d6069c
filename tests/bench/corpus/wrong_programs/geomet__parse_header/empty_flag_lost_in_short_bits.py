# wrong: writes the flags as binary digits without leading zeros and asks for more than five of them, so the empty flag is lost when it is the highest bit set
import struct


def parse_header(header):
    g, p, version, flags = struct.unpack("BBBB", header[:4])
    bits = format(flags, "b")
    endian = int(bits[-1])
    envelope = int(bits[-4:-1] or "0", 2)
    empty = int(bits[-5]) if len(bits) > 5 else 0
    (srs_id,) = struct.unpack("<I" if endian else ">I", header[4:8])
    return (g, p, version, empty, envelope, endian, srs_id)
