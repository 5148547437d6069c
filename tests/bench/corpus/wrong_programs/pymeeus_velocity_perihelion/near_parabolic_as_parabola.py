# an orbit with an eccentricity of 0.98 or more is computed as a parabola
import math


def velocity_perihelion(e, a):
    if e >= 0.98:
        return 42.1219 / math.sqrt(a * (1.0 - e))
    return 29.7847 * math.sqrt((1.0 + e) / (1.0 - e)) / math.sqrt(a)
