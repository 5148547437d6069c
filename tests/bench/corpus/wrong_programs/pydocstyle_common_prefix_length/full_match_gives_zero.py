# WRONG: no difference found gives 0
def common_prefix_length(a, b):
    for i, (x, y) in enumerate(zip(a, b)):
        if x != y:
            return i
    return 0
