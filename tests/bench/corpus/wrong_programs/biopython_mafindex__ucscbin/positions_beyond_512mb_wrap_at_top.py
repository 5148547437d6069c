# Wrong: beyond the 1-offset level only the low bits of the window number are kept
def ucscbin(start, end):
    offsets = [585, 73, 9, 1, 0]
    start_bin = start >> 17
    end_bin = (end - 1) >> 17
    for offset in offsets:
        if start_bin == end_bin:
            return offset + (start_bin if offset == 585 else start_bin & 7 if start_bin > 0 else start_bin)
        start_bin >>= 3
        end_bin >>= 3
    return 0
