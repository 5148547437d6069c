# Wrong: the positions are turned into floats first, so big whole numbers lose their last digits.
def adts_stream_size(parsed_frames, start: float, last: float) -> float:
    assert parsed_frames, "no frame parsed yet"
    size = float(last) - float(start)
    return int(size) if size.is_integer() else size
