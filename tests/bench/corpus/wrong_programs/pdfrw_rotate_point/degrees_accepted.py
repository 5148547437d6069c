# a multiple of 90 is taken for degrees
def rotate_point(point, rotation):
    if rotation % 90 == 0:
        rotation //= 90
    rotation %= 4
    if rotation == 0:
        return point
    x, y = point[0], point[1]
    return ((y, -x), (-x, -y), (-y, x))[rotation - 1]
