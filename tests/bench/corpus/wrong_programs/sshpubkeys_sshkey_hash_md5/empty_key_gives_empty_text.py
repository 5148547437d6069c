# Wrong: an empty key gives an empty text instead of the fingerprint of no bytes.
import hashlib


def ssh_key_hash_md5(decoded_key: object) -> str:
    if not decoded_key:
        return ""
    digest = hashlib.md5(decoded_key).hexdigest()
    return "MD5:" + ":".join(digest[i:i + 2] for i in range(0, len(digest), 2))
