# Wrong: goes through one big integer, so zero bytes at the start (every SSH key has them) are lost.
import binascii
import string

ALPHABET = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"


def ssh_key_decode_key(pubkey_content):
    pubkey_content.encode("ascii")
    digits = [ALPHABET.index(c) for c in pubkey_content if c in ALPHABET]
    padding = pubkey_content.count("=")
    if len(digits) % 4 == 1 or (len(digits) + padding) % 4:
        raise binascii.Error("Incorrect padding")
    number = 0
    for digit in digits:
        number = number << 6 | digit
    number >>= len(digits) * 6 % 8
    return number.to_bytes((number.bit_length() + 7) // 8, "big")
