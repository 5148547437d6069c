# Wrong: a neighbour whose list of edges becomes empty loses its entry in the map instead of keeping an empty list.
def directed_graph_remove(
    vertices: list[str],
    forwards: dict[str, list[str]],
    backwards: dict[str, list[int | list[object] | dict[object, object] | str | None]],
    key: str,
) -> dict[str, list[object] | dict[object, object]]:
    vertices.remove(key)
    for child in forwards.pop(key):
        backwards[child].remove(key)
        if not backwards[child] and child != key:
            del backwards[child]
    for parent in backwards.pop(key):
        forwards[parent].remove(key)
        if not forwards[parent]:
            del forwards[parent]
    return {"vertices": vertices, "forwards": forwards, "backwards": backwards}
