# wrong: only the slash is made url safe, the plus sign is forgotten
import base64


def bytes_default(obj, url_safe=True):
    text = base64.b64encode(obj).decode("utf8")
    if url_safe:
        text = text.replace("/", "_")
    return text
