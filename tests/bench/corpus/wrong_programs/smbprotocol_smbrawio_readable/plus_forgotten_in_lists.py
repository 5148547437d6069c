# in a list only r is looked for
def smb_raw_io_readable(mode):
    flags = set(mode)
    readable = {"r"} if isinstance(mode, list) else {"r", "+"}
    return bool(flags & readable)
