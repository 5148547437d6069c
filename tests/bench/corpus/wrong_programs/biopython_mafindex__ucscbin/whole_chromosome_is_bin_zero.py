# Wrong: the top level is taken to be bin 0 whatever the position, though beyond 512 Mb it is numbered too
def ucscbin(start, end):
    offsets = [585, 73, 9, 1]
    start_bin = start >> 17
    end_bin = (end - 1) >> 17
    for offset in offsets:
        if start_bin == end_bin:
            return offset + start_bin
        start_bin >>= 3
        end_bin >>= 3
    return 0
