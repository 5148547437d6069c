# Wrong: looks at the low 64 bits of y only.
def cl_mult(x, y):
    if y <= 0:
        return 0
    z = 0
    for i in range(64):
        if (y >> i) & 1:
            z ^= x << i
    return z
