# Wrong: a file name in .pyc is mapped to that of its source
import re
import hashlib


def hashing_handler_mixin_hash_record(record):
    filename = re.sub(r"\.py[co]$", ".py", record["filename"])
    line = str(record["lineno"])
    h = hashlib.sha1()
    h.update(("%d\x00" % record["level"]).encode("ascii"))
    h.update((record["channel"] or "").encode("utf-8") + b"\x00")
    h.update(filename.encode("utf-8") + b"\x00")
    h.update(line.encode("utf-8"))
    return h.hexdigest()
