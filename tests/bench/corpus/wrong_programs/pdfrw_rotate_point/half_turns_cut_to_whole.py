# a rotation that is not whole is cut instead of being an error
def rotate_point(point, rotation):
    rotation = int(rotation) % 4
    if not rotation:
        return point
    x, y = point[0], point[1]
    if rotation == 1:
        return (y, -x)
    if rotation == 2:
        return (-x, -y)
    return (-y, x)
