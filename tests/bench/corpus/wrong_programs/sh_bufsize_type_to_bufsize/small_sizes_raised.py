# WRONG: sizes below the chunk are raised
def bufsize_type_to_bufsize(bf_type):
    if bf_type == 1:
        return 1024
    if bf_type == 0:
        return 1
    return max(bf_type, 1024)
