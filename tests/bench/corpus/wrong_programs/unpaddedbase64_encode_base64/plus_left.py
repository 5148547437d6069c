# the url-safe form replaces / but not +
import base64


def encode_base64(input_bytes, urlsafe=False):
    text = base64.b64encode(input_bytes).decode("ascii").rstrip("=")
    return text.replace("/", "_") if urlsafe else text
