# Wrong: a number of frames between 0 and 1 is cut to 0 and so refused as "no frame parsed yet".
def adts_stream_size(parsed_frames, start: float, last: float) -> float:
    if isinstance(parsed_frames, float):
        parsed_frames = int(parsed_frames)
    assert parsed_frames, "no frame parsed yet"
    return last - start
