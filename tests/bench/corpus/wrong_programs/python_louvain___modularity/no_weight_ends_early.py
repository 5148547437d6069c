# Wrong: without a weight above zero 0.0 comes back before a missing internals or degrees is noticed.
def modularity(status, resolution: float) -> float:
    weight = float(status["total_weight"])
    communities = set(status["node2com"].values())
    if not weight > 0 or not communities:
        return 0.0
    internals, degrees = status["internals"], status["degrees"]
    return float(sum(
        internals.get(c, 0.0) * resolution / weight - (degrees.get(c, 0.0) / (2.0 * weight)) ** 2
        for c in communities
    ))
