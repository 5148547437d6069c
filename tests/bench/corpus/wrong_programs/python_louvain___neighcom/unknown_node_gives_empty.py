# Wrong: a node that is not in graph gives an empty mapping instead of an error.
def neighcom(node, graph, status, weight_key):
    try:
        neighbours = graph[node]
    except (KeyError, IndexError):
        neighbours = {}
    result = {}
    for other, data in neighbours.items():
        if other == node:
            continue
        com = status["node2com"][other]
        result[com] = result.get(com, 0) + data.get(weight_key, 1)
    return result
