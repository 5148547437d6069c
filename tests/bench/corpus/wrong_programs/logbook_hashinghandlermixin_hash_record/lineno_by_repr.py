# Wrong: the line number is put in by its debugging form, so a text gets quotation marks
import hashlib


def hashing_handler_mixin_hash_record(record):
    filename = record["filename"]
    line = repr(record["lineno"])
    h = hashlib.sha1()
    h.update(("%d\x00" % record["level"]).encode("ascii"))
    h.update((record["channel"] or "").encode("utf-8") + b"\x00")
    h.update(filename.encode("utf-8") + b"\x00")
    h.update(line.encode("utf-8"))
    return h.hexdigest()
