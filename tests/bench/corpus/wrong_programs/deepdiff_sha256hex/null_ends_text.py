# Wrong: a text is cut at the first NUL, as C code would
import hashlib

def sha256hex(obj):
    if isinstance(obj, str):
        obj = obj.split("\0")[0].encode("utf-8")
    return hashlib.sha256(obj).hexdigest()
