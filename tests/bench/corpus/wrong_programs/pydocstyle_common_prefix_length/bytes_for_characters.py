# WRONG: UTF-8 bytes are counted
def common_prefix_length(a, b):
    n = 0
    for x, y in zip(a.encode(), b.encode()):
        if x != y:
            break
        n += 1
    return n
