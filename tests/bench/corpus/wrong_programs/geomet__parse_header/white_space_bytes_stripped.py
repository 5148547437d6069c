# wrong: strips the bytes as if they were text, so an identifier that ends in 0x0A or 0x20 loses its last byte
import struct


def parse_header(header):
    header = header.strip()
    flags = header[3]
    order = "<" if flags & 1 else ">"
    g, p, version, flags, srs_id = struct.unpack(order + "BBBBI", header[:8])
    return (g, p, version, (flags & 16) >> 4, (flags & 14) >> 1, flags & 1, srs_id)
