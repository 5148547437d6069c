# an orbit with an eccentricity below 0.01 is computed as a circle
import math


def velocity_perihelion(e, a):
    if abs(e) < 0.01:
        return 29.7847 / math.sqrt(a)
    return 29.7847 * math.sqrt((1.0 + e) / (1.0 - e)) / math.sqrt(a)
