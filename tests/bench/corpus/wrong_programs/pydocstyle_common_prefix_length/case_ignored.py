# WRONG: upper and lower case are equal
def common_prefix_length(a, b):
    n = 0
    for x, y in zip(a, b):
        if x.lower() != y.lower():
            break
        n += 1
    return n
