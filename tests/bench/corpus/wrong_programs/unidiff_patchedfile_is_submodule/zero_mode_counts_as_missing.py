# Wrong: a target mode of 000000 counts as none
def patched_file_is_submodule(source_mode, target_mode):
    mode = target_mode if target_mode not in (None, "000000") else source_mode
    return mode == "160000"
