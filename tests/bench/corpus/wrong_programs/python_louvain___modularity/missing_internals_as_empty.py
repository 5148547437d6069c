# Wrong: status without internals is taken as one with none instead of being an error.
def modularity(status, resolution: float) -> float:
    weight = float(status["total_weight"])
    internals = status.get("internals") or {}
    degrees = status["degrees"] if status["node2com"] else {}
    result = 0.0
    for com in set(status["node2com"].values()):
        if weight > 0:
            result += internals.get(com, 0.0) * resolution / weight
            result -= (degrees.get(com, 0.0) / (2.0 * weight)) ** 2
    return result
