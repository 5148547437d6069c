# wrong: strips white space first, which cuts a binary sha that ends (or starts) with such a byte
import binascii


def to_hex_sha(sha: object) -> object:
    if isinstance(sha, bytes):
        sha = sha.strip()
    if len(sha) == 40:
        return sha
    return binascii.hexlify(sha)
