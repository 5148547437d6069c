# Wrong: halves y with int(y / 2), which loses low bits of numbers above 2**53.
def cl_mult(x, y):
    z = 0
    while y > 0:
        if y % 2:
            z ^= x
        x <<= 1
        y = int(y / 2)
    return z
