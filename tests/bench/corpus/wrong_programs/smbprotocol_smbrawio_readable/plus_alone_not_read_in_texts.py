# in a text the plus sign is forgotten
def smb_raw_io_readable(mode):
    if isinstance(mode, dict):
        return "r" in mode or "+" in mode
    return "r" in mode
