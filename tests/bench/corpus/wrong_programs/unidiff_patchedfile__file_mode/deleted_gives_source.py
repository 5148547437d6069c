# Wrong: the target mode 000000 counts as unknown
def patched_file_file_mode(source_mode: str | None, target_mode: str | None) -> str | None:
    if target_mode is None or target_mode == "000000":
        return source_mode
    return target_mode
