# Wrong: negative weights are added by their absolute value.
def neighcom(node, graph, status, weight_key):
    result = {}
    for other, data in graph[node].items():
        if other == node:
            continue
        com = status["node2com"][other]
        result[com] = result.get(com, 0) + abs(data.get(weight_key, 1))
    return result
