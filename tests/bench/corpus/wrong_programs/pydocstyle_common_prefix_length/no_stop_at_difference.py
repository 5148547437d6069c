# WRONG: equal characters after a difference count too
def common_prefix_length(a, b):
    n = 0
    for x, y in zip(a, b):
        if x != y:
            continue
        n += 1
    return n
