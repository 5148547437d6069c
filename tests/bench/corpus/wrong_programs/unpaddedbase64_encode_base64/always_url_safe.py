# the flag is not looked at: the url-safe alphabet is used always
import base64


def encode_base64(input_bytes, urlsafe=False):
    return base64.urlsafe_b64encode(input_bytes).decode("ascii").rstrip("=")
