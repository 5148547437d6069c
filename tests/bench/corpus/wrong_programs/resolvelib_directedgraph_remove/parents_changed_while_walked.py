# Wrong: removes items from the list of parents while it loops over it, so every second parent keeps its edge.
def directed_graph_remove(
    vertices: list[str],
    forwards: dict[str, list[str]],
    backwards: dict[str, list[int | list[object] | dict[object, object] | str | None]],
    key: str,
) -> dict[str, list[object] | dict[object, object]]:
    vertices.remove(key)
    for child in forwards.pop(key):
        backwards[child].remove(key)
    parents = backwards[key]
    for parent in parents:
        forwards[parent].remove(key)
        parents.remove(parent)
    del backwards[key]
    return {"vertices": vertices, "forwards": forwards, "backwards": backwards}
