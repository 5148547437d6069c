# Wrong: node and neighbour are compared as texts, so the neighbour '0' of node 0 is passed over.
def neighcom(node, graph, status, weight_key):
    result = {}
    for other, data in graph[node].items():
        if str(other) == str(node):
            continue
        com = status["node2com"][other]
        result[com] = result.get(com, 0) + data.get(weight_key, 1)
    return result
