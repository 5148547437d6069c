# no blank is put in where a backslash or a brace follows, as TeX would not need it
def latex_incremental_encoder_get_space_bytes(state, bytes_):
    if state != "S":
        return "", bytes_
    if bytes_.startswith(" "):
        return "\\ ", bytes_[1:]
    if bytes_.startswith(("\\", "{", "}")):
        return "", bytes_
    return " ", bytes_
