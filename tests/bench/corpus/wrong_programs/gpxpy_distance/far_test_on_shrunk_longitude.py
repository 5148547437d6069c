# WRONG: the test for distant points uses the longitude difference after it was shrunk by the cosine of the latitude.

import math

EARTH_RADIUS = 6378.137 * 1000
ONE_DEGREE = 2 * math.pi * EARTH_RADIUS / 360


def haversine_distance(latitude_1, longitude_1, latitude_2, longitude_2):
    d_lon = math.radians(longitude_1 - longitude_2)
    lat1 = math.radians(latitude_1)
    lat2 = math.radians(latitude_2)
    d_lat = lat1 - lat2
    a = math.sin(d_lat / 2) ** 2 + math.sin(d_lon / 2) ** 2 * math.cos(lat1) * math.cos(lat2)
    return EARTH_RADIUS * 2 * math.asin(math.sqrt(a))


def distance(latitude_1, longitude_1, elevation_1, latitude_2, longitude_2, elevation_2, haversine=False):
    coef = math.cos(math.radians(latitude_1))
    x = latitude_1 - latitude_2
    y = (longitude_1 - longitude_2) * coef
    if haversine or abs(x) > .2 or abs(y) > .2:
        return haversine_distance(latitude_1, longitude_1, latitude_2, longitude_2)
    flat = math.sqrt(x * x + y * y) * ONE_DEGREE
    if elevation_1 is None or elevation_2 is None or elevation_1 == elevation_2:
        return flat
    return math.sqrt(flat ** 2 + (elevation_1 - elevation_2) ** 2)
