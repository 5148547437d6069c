# Wrong: neighbours in the node's own community are passed over like a loop.
def neighcom(node, graph, status, weight_key):
    result = {}
    coms = status.get("node2com", {})
    own = coms.get(node)
    for other, data in graph[node].items():
        if other == node:
            continue
        com = status["node2com"][other]
        if own is not None and com == own:
            continue
        result[com] = result.get(com, 0) + data.get(weight_key, 1)
    return result
