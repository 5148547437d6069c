# Wrong: carriage returns are turned into line feeds before hashing
import hashlib

def sha256hex(obj):
    if isinstance(obj, str):
        obj = obj.replace("\r\n", "\n").encode("utf-8")
    return hashlib.sha256(obj).hexdigest()
