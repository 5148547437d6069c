# Wrong: a weight of null counts as missing, so it is 1 instead of an error.
def neighcom(node, graph, status, weight_key):
    result = {}
    for other, data in graph[node].items():
        if other == node:
            continue
        weight = data.get(weight_key)
        if weight is None:
            weight = 1
        com = status["node2com"][other]
        result[com] = result.get(com, 0) + weight
    return result
