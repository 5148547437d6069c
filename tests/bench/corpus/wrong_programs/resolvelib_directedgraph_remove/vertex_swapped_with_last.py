# Wrong: takes the vertex out by putting the last one in its place, which changes the order of the rest.
def directed_graph_remove(
    vertices: list[str],
    forwards: dict[str, list[str]],
    backwards: dict[str, list[int | list[object] | dict[object, object] | str | None]],
    key: str,
) -> dict[str, list[object] | dict[object, object]]:
    index = vertices.index(key)
    vertices[index] = vertices[-1]
    vertices.pop()
    for child in forwards.pop(key):
        backwards[child].remove(key)
    for parent in backwards.pop(key):
        forwards[parent].remove(key)
    return {"vertices": vertices, "forwards": forwards, "backwards": backwards}
