# wrong: demands more than eight bytes, so the bare header fails
import struct


def parse_header(header):
    if len(header) <= 8:
        raise ValueError("header too short")
    g, p, version, flags = struct.unpack("BBBB", header[:4])
    endian = flags & 1
    envelope = (flags >> 1) & 7
    empty = (flags >> 4) & 1
    (srs_id,) = struct.unpack("<I" if endian else ">I", header[4:8])
    return (g, p, version, empty, envelope, endian, srs_id)
