# Wrong: throws away + and / with the other signs that are no letters or digits.
import base64
import re


def ssh_key_decode_key(pubkey_content):
    text = re.sub(r"[^A-Za-z0-9=]", "", pubkey_content)
    return base64.b64decode(text.encode("ascii"))
