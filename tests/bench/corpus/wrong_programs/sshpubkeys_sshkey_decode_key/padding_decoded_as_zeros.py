# Wrong: reads the padding sign = as a zero digit and does not cut the bytes it stands for.
import base64
import binascii
import re


def ssh_key_decode_key(pubkey_content):
    pubkey_content.encode("ascii")
    text = re.sub(r"[^A-Za-z0-9+/=]", "", pubkey_content)
    if len(text) % 4:
        raise binascii.Error("Incorrect padding")
    return base64.b64decode(text.replace("=", "A"))
