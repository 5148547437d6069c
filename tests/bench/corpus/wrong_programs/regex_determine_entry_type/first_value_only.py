# WRONG: only the first value is looked at
def determine_entry_type(iterable):
    values = list(iterable)
    low, high = values[0], values[0]
    if low >= 0:
        if high <= 0xFF:
            return "uint8_t"
        if high <= 0xFFFF:
            return "uint16_t"
    return "uint32_t"
