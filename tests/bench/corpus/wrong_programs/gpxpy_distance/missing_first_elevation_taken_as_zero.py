# WRONG: a missing first elevation is counted as 0 instead of giving the 2d distance.

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
    if haversine or abs(latitude_1 - latitude_2) > .2 or abs(longitude_1 - longitude_2) > .2:
        return haversine_distance(latitude_1, longitude_1, latitude_2, longitude_2)
    coef = math.cos(math.radians(latitude_1))
    x = latitude_1 - latitude_2
    y = (longitude_1 - longitude_2) * coef
    flat = math.sqrt(x * x + y * y) * ONE_DEGREE
    if elevation_2 is None:
        return flat
    elevation_1 = elevation_1 or 0.0
    if elevation_1 == elevation_2:
        return flat
    return math.sqrt(flat ** 2 + (elevation_1 - elevation_2) ** 2)
