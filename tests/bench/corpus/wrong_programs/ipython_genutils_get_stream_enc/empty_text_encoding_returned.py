# any text is returned as it is, also the empty one, which counts as false
def get_stream_enc(stream, default=None):
    if not stream or "encoding" not in stream:
        return default
    encoding = stream["encoding"]
    if isinstance(encoding, str):
        return encoding
    if not encoding:
        return default
    return encoding
