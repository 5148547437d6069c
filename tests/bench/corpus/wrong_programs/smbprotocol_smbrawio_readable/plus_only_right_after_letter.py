# in a text the plus sign counts only right after w or a
def smb_raw_io_readable(mode):
    if isinstance(mode, str):
        return any(part in mode for part in ("r", "w+", "a+"))
    return "r" in mode or "+" in mode
