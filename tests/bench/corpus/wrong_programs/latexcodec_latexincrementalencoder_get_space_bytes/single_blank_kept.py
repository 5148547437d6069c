# only the first of two or more blanks becomes a control space; a single one is left as the separator
def latex_incremental_encoder_get_space_bytes(state, bytes_):
    if state != "S":
        return "", bytes_
    if bytes_.startswith("  "):
        return "\\ ", bytes_[1:]
    if bytes_.startswith(" "):
        return "", bytes_
    return " ", bytes_
