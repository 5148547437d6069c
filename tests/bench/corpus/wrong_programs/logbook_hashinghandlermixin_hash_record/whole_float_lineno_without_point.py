# Wrong: a whole floating-point line number is written without its .0
import hashlib


def hashing_handler_mixin_hash_record(record):
    n = record["lineno"]
    filename = record["filename"]
    line = "%g" % n if isinstance(n, float) else str(n)
    h = hashlib.sha1()
    h.update(("%d\x00" % record["level"]).encode("ascii"))
    h.update((record["channel"] or "").encode("utf-8") + b"\x00")
    h.update(filename.encode("utf-8") + b"\x00")
    h.update(line.encode("utf-8"))
    return h.hexdigest()
