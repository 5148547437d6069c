# Wrong: a total weight that is not-a-number gives not-a-number, not 0.0.
def modularity(status, resolution: float) -> float:
    weight = float(status["total_weight"])
    result = 0.0
    for com in set(status["node2com"].values()):
        inside = status["internals"].get(com, 0.0)
        degree = status["degrees"].get(com, 0.0)
        if weight <= 0:
            continue
        result += inside * resolution / weight - (degree / (2.0 * weight)) ** 2
    return result
