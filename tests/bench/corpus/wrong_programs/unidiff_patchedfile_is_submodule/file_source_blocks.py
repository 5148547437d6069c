# Wrong: a regular file as source says that it is no submodule
def patched_file_is_submodule(source_mode, target_mode):
    mode = target_mode if target_mode is not None else source_mode
    return mode == "160000" and source_mode not in ("100644", "100755")
