# wrong: the padding is taken off, as url-safe tokens often have it
import base64


def bytes_default(obj, url_safe=True):
    if url_safe:
        return base64.urlsafe_b64encode(obj).rstrip(b"=").decode("utf8")
    return base64.b64encode(obj).decode("utf8")
