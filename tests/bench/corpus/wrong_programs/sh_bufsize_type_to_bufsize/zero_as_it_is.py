# WRONG: 0 is returned as it is
def bufsize_type_to_bufsize(bf_type):
    if bf_type == 1:
        return 1024
    return bf_type
