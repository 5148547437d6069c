# Wrong: bytes are decoded as text, dropping what is not UTF-8, before hashing
import hashlib

def sha256hex(obj):
    if isinstance(obj, str):
        obj = obj.encode("utf-8")
    else:
        try:
            obj = obj.decode("utf-8").strip().encode("utf-8")
        except UnicodeDecodeError:
            pass
    return hashlib.sha256(obj).hexdigest()
