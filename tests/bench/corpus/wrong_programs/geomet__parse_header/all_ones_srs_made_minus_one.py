# wrong: an identifier of 0xFFFFFFFF is returned as -1; the identifier is unsigned
import struct


def parse_header(header):
    g, p, version, flags = struct.unpack("BBBB", header[:4])
    endian = flags & 1
    (srs_id,) = struct.unpack("<I" if endian else ">I", header[4:8])
    if srs_id == 0xFFFFFFFF:
        srs_id = -1
    return (g, p, version, (flags >> 4) & 1, (flags >> 1) & 7, endian, srs_id)
