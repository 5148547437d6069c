# Wrong: strips white space off the ends as if the key were a line of text; the bytes of a key may end in such a value.
import hashlib


def ssh_key_hash_md5(decoded_key: object) -> str:
    digest = hashlib.md5(decoded_key.strip()).hexdigest()
    return "MD5:" + ":".join(digest[i:i + 2] for i in range(0, len(digest), 2))
