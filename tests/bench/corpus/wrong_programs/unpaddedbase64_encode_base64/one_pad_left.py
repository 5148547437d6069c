# only one padding sign is cut off
import base64


def encode_base64(input_bytes, urlsafe=False):
    encode = base64.urlsafe_b64encode if urlsafe else base64.b64encode
    text = encode(input_bytes).decode("ascii")
    return text[:-1] if text.endswith("=") else text
