# Wrong: 160000 counts as a link too
def patched_file_is_symlink(source_mode: str | None, target_mode: str | None) -> bool:
    mode = target_mode if target_mode is not None else source_mode
    return mode in ("120000", "160000")
