# WRONG: 0 and 1 are mixed up
def bufsize_type_to_bufsize(bf_type):
    if bf_type == 1:
        return 1
    if bf_type == 0:
        return 1024
    return bf_type
