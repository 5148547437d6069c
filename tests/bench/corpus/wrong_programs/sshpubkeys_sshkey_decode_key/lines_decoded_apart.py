# Wrong: decodes each line by itself (with padding added) and joins the bytes, wrong where a line ends inside a group of four.
import base64
import re


def ssh_key_decode_key(pubkey_content):
    pubkey_content.encode("ascii")
    decoded = b""
    for line in pubkey_content.splitlines():
        line = re.sub(r"[^A-Za-z0-9+/=]", "", line)
        line += "=" * (-len(line) % 4)
        decoded += base64.b64decode(line)
    return decoded
