# WRONG: a negative size gives the default chunk
def bufsize_type_to_bufsize(bf_type):
    if bf_type == 1 or bf_type < 0:
        return 1024
    if bf_type == 0:
        return 1
    return bf_type
