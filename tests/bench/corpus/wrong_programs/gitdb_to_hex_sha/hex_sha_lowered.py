# wrong: a sha that is hexadecimal already is put into lower case
import binascii


def to_hex_sha(sha: object) -> object:
    if len(sha) == 40:
        return sha.lower() if isinstance(sha, bytes) else sha
    return binascii.hexlify(sha)
