# a coordinate that is missing is taken as 0 instead of being an error
def rotate_point(point, rotation):
    rotation %= 4
    if rotation == 0:
        return point
    x, y = (list(point) + [0, 0])[:2]
    if rotation == 1:
        return y, -x
    if rotation == 2:
        return -x, -y
    return -y, x
