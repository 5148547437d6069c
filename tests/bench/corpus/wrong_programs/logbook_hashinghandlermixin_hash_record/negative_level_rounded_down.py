# Wrong: a level with a fraction is rounded down instead of cut toward zero
import math
import hashlib


def hashing_handler_mixin_hash_record(record):
    record = dict(record, level=math.floor(record["level"]))
    filename = record["filename"]
    line = str(record["lineno"])
    h = hashlib.sha1()
    h.update(("%d\x00" % record["level"]).encode("ascii"))
    h.update((record["channel"] or "").encode("utf-8") + b"\x00")
    h.update(filename.encode("utf-8") + b"\x00")
    h.update(line.encode("utf-8"))
    return h.hexdigest()
