# Wrong: hashes only what follows the field with the key type, not the whole key.
import hashlib


def ssh_key_hash_md5(decoded_key: object) -> str:
    size = int.from_bytes(decoded_key[:4], "big")
    if 4 + size < len(decoded_key):
        decoded_key = decoded_key[4 + size:]
    digest = hashlib.md5(decoded_key).hexdigest()
    return "MD5:" + ":".join(digest[i:i + 2] for i in range(0, len(digest), 2))
