# only rotation 0 gives the point back; other multiples of 4 give a pair without the further elements
def rotate_point(point, rotation):
    if rotation == 0:
        return point
    x, y = point[0], point[1]
    for _ in range(rotation % 4):
        x, y = y, -x
    return x, y
