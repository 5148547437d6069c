# wrong: decides by the characters: bytes that look hexadecimal are returned as they are, whatever their length
import binascii

_HEX = set(b"0123456789abcdef")


def to_hex_sha(sha: object) -> object:
    if len(sha) == 40 or (sha and all(c in _HEX for c in sha)):
        return sha
    return binascii.hexlify(sha)
