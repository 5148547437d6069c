# WRONG: 256 is still a byte
def determine_entry_type(iterable):
    values = list(iterable)
    low, high = min(values), max(values)
    if low >= 0:
        if high <= 256:
            return "uint8_t"
        if high <= 0xFFFF:
            return "uint16_t"
    return "uint32_t"
