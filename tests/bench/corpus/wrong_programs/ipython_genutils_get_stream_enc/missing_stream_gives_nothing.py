# for a stream that is nothing the result is nothing, not the default
def get_stream_enc(stream, default=None):
    if stream is None:
        return None
    if "encoding" not in stream:
        return default
    encoding = stream["encoding"]
    if not encoding:
        return default
    return encoding
