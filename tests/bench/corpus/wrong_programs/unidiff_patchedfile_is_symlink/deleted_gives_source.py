# Wrong: the target mode 000000 counts as unknown
def patched_file_is_symlink(source_mode: str | None, target_mode: str | None) -> bool:
    mode = target_mode
    if mode is None or mode == "000000":
        mode = source_mode
    return mode == "120000"
