# Wrong: the larger of the two modes is returned
def patched_file_file_mode(source_mode: str | None, target_mode: str | None) -> str | None:
    known = [m for m in (source_mode, target_mode) if m is not None]
    return max(known) if known else None
