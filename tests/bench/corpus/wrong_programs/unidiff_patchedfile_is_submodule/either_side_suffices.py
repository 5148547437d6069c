# Wrong: a submodule on either side suffices
def patched_file_is_submodule(source_mode, target_mode):
    mode = target_mode if target_mode is not None else source_mode
    return mode == "160000" or (source_mode == "160000" and bool(mode))
