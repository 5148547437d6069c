# in a text the plus sign counts only at the end
def smb_raw_io_readable(mode):
    if isinstance(mode, str):
        return "r" in mode or mode.endswith("+")
    return "r" in mode or "+" in mode
