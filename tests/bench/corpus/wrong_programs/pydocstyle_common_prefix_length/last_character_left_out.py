# WRONG: one short when one text is a prefix of the other
def common_prefix_length(a, b):
    n = 0
    for x, y in zip(a[:-1], b[:-1]):
        if x != y:
            break
        n += 1
    return n
