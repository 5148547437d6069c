# Wrong: a neighbour that has no community is skipped instead of being an error.
def neighcom(node, graph, status, weight_key):
    result = {}
    coms = status.get("node2com", {})
    for other, data in graph[node].items():
        if other == node or other not in coms:
            continue
        com = coms[other]
        result.setdefault(com, 0)
        result[com] += data.get(weight_key, 1)
    return result
