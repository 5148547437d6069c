# wrong: the MIME form is used, which breaks lines after 76 characters
import base64


def bytes_default(obj, url_safe=True):
    text = base64.encodebytes(obj).decode("utf8").rstrip("\n")
    if url_safe:
        text = text.replace("+", "-").replace("/", "_")
    return text
