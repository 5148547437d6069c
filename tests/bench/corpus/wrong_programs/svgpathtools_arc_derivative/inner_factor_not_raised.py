# wrong: the factor delta * pi / 180 is taken once instead of n times
import numpy as np


def arc_derivative(radius, rotation, theta, delta, t, n=1):
    angle = np.radians(theta + t * delta)
    phi = np.radians(rotation)
    rx, ry = radius.real, radius.imag
    if n % 4 == 0:
        k, c, s = 1.0, np.cos(angle), np.sin(angle)
    else:
        k = delta * np.pi / 180
        c, s = {
            1: (-np.sin(angle), np.cos(angle)),
            2: (-np.cos(angle), -np.sin(angle)),
            3: (np.sin(angle), -np.cos(angle)),
        }[n % 4]
    x = rx * np.cos(phi) * c - ry * np.sin(phi) * s
    y = rx * np.sin(phi) * c + ry * np.cos(phi) * s
    return k * (x + 1j * y)
