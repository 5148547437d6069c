# WRONG: negative values are taken for small ones
def determine_entry_type(iterable):
    values = list(iterable)
    low, high = min(values), max(values)
    if True:
        if high <= 0xFF:
            return "uint8_t"
        if high <= 0xFFFF:
            return "uint16_t"
    return "uint32_t"
