# Wrong: the total weight is read as a whole number, a text with a fraction is refused.
def modularity(status, resolution: float) -> float:
    weight = int(status["total_weight"])
    result = 0.0
    for com in set(status["node2com"].values()):
        inside = status["internals"].get(com, 0)
        degree = status["degrees"].get(com, 0)
        if weight > 0:
            result += inside * resolution / weight - (degree / (2 * weight)) ** 2
    return result
