# the quality is wrapped by the bytes of UTF-8
WIDTH = 80
NULL = '"'


def GenerateQuality(value):
    if "quality" in value:
        raw = value["quality"].encode("utf-8") if value["quality"] else b""
        lines = [raw[i:i + WIDTH].decode("utf-8", "ignore") for i in range(0, len(raw), WIDTH)]
        return "\n".join(lines)
    text = NULL * len(str(value["sequence"]))
    return "\n".join(text[i:i + WIDTH] for i in range(0, len(text), WIDTH))
