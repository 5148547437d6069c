# an end of line is taken to end the macro already, so no blank is put before it
def latex_incremental_encoder_get_space_bytes(state, bytes_):
    if state != "S":
        return "", bytes_
    if bytes_.startswith(" "):
        return "\\ ", bytes_[1:]
    if bytes_.startswith(("\n", "\r")):
        return "", bytes_
    return " ", bytes_
