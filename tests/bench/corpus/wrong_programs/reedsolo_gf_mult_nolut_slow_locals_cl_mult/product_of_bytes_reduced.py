# Wrong: reduces the product of two bytes modulo 0x11d, as a multiplication in GF(2^8) does; the plain product was asked for.
def cl_mult(x, y):
    z = 0
    i = 0
    while (y >> i) > 0:
        if (y >> i) & 1:
            z ^= x << i
        i += 1
    if 0 <= x < 256 and 0 <= y < 256:
        while z.bit_length() > 8:
            z ^= 0x11D << (z.bit_length() - 9)
    return z
