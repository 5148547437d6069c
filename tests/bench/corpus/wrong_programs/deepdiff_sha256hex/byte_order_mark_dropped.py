# Wrong: a byte order mark at the start of the text is dropped before hashing
import hashlib

def sha256hex(obj):
    if isinstance(obj, str):
        obj = obj.lstrip("\ufeff").encode("utf-8")
    return hashlib.sha256(obj).hexdigest()
