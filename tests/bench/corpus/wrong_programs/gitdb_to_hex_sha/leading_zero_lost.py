# wrong: goes by way of an integer, so zeros at the front are lost


def to_hex_sha(sha: object) -> object:
    if len(sha) == 40:
        return sha
    return b"%x" % int.from_bytes(sha, "big")
