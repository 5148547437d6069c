# Wrong: communities are matched by their text, so 1 finds the entry of '1'.
def modularity(status, resolution: float) -> float:
    weight = float(status["total_weight"])
    result = 0.0
    if not status["node2com"]:
        return result
    internals = {str(k): v for k, v in status["internals"].items()}
    degrees = {str(k): v for k, v in status["degrees"].items()}
    for com in {str(c) for c in status["node2com"].values()}:
        if weight > 0:
            result += internals.get(com, 0.0) * resolution / weight
            result -= (degrees.get(com, 0.0) / (2.0 * weight)) ** 2
    return result
