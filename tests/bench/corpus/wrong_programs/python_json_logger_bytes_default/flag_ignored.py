# wrong: the url-safe character set is always used
import base64


def bytes_default(obj, url_safe=True):
    return base64.urlsafe_b64encode(obj).decode("utf8")
