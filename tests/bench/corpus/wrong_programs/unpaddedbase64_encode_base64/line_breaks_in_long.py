# long inputs are broken into lines of 76 characters
import base64


def encode_base64(input_bytes, urlsafe=False):
    text = base64.encodebytes(input_bytes).decode("ascii").strip().rstrip("=")
    if urlsafe:
        text = text.replace("+", "-").replace("/", "_")
    return text
