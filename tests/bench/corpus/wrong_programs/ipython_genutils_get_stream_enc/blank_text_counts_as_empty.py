# an encoding of white space only is taken for an empty one
def get_stream_enc(stream, default=None):
    if not stream or "encoding" not in stream:
        return default
    encoding = stream["encoding"]
    if isinstance(encoding, str) and not encoding.strip():
        return default
    if not encoding:
        return default
    return encoding
