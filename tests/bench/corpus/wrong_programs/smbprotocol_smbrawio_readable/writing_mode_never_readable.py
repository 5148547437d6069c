# a mode with w, a or x is never readable, the plus sign notwithstanding
def smb_raw_io_readable(mode):
    if any(flag in mode for flag in "wax"):
        return False
    return "r" in mode or "+" in mode
