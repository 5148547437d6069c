# WRONG: the smallest value decides
def determine_entry_type(iterable):
    values = list(iterable)
    low, high = min(values), min(values)
    if low >= 0:
        if high <= 0xFF:
            return "uint8_t"
        if high <= 0xFFFF:
            return "uint16_t"
    return "uint32_t"
