# Wrong: an empty target mode counts as unknown where there is a source mode
def patched_file_file_mode(source_mode: str | None, target_mode: str | None) -> str | None:
    if target_mode:
        return target_mode
    return target_mode if source_mode is None else source_mode
