# Wrong: a community is counted once only where its nodes stand one after another.
from itertools import groupby


def modularity(status, resolution: float) -> float:
    weight = float(status["total_weight"])
    result = 0.0
    for com, _ in groupby(status["node2com"].values()):
        inside = status["internals"].get(com, 0.0)
        degree = status["degrees"].get(com, 0.0)
        if weight > 0:
            result += inside * resolution / weight - (degree / (2.0 * weight)) ** 2
    return result
