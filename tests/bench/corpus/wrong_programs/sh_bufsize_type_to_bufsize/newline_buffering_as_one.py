# WRONG: 1 is returned as it is
def bufsize_type_to_bufsize(bf_type):
    if bf_type == 1:
        return 1
    if bf_type == 0:
        return 1
    return bf_type
