# Wrong: feeds the key in blocks of 64 bytes and, by a division that rounds down, leaves out the last partial block of a longer key.
import hashlib


def ssh_key_hash_md5(decoded_key: object) -> str:
    state = hashlib.md5()
    blocks = max(1, len(decoded_key) // 64)
    for i in range(blocks):
        state.update(decoded_key[i * 64:(i + 1) * 64])
    digest = state.hexdigest()
    return "MD5:" + ":".join(digest[i:i + 2] for i in range(0, len(digest), 2))
