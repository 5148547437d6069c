# Wrong: seven bytes of header are added for each frame behind the first, though the difference of positions includes the framing already.
_HEADER = 7


def adts_stream_size(parsed_frames, start: float, last: float) -> float:
    assert parsed_frames, "no frame parsed yet"
    size = last - start
    if isinstance(parsed_frames, int) and parsed_frames > 1:
        size += _HEADER * (parsed_frames - 1)
    return size
