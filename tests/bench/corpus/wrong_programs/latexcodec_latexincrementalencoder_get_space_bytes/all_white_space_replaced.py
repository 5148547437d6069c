# any white space (tab, end of line) is replaced by a control space, not the blank only
def latex_incremental_encoder_get_space_bytes(state, bytes_):
    if state != "S":
        return "", bytes_
    if bytes_[:1].isspace():
        return "\\ ", bytes_[1:]
    return " ", bytes_
