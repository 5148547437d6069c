# the half turn negates all elements and keeps those beyond the second
def rotate_point(point, rotation):
    turns = rotation % 4
    if turns == 0:
        return point
    if turns == 2:
        return tuple(-c for c in point)
    x, y = point[0], point[1]
    return (y, -x) if turns == 1 else (-y, x)
