# in a text r must be the first letter
def smb_raw_io_readable(mode):
    if isinstance(mode, str):
        return mode.strip()[:1] == "r" or "+" in mode
    return "r" in mode or "+" in mode
