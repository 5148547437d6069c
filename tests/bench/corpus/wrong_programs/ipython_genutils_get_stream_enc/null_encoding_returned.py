# the false values are listed (zero, empty text, sequence, map) and nothing is forgotten: it is returned in place of the default
def get_stream_enc(stream, default=None):
    if not stream or "encoding" not in stream:
        return default
    encoding = stream["encoding"]
    if encoding in (0, "", [], {}):
        return default
    return encoding
