# Wrong: every mode 12xxxx counts as a link
import re

def patched_file_is_symlink(source_mode: str | None, target_mode: str | None) -> bool:
    mode = target_mode if target_mode is not None else source_mode
    return mode is not None and re.fullmatch(r"12[0-7]{4}", mode) is not None
