# Wrong: a parent that is listed several times (parallel edges) has only one of its edges to the vertex taken away.
def directed_graph_remove(
    vertices: list[str],
    forwards: dict[str, list[str]],
    backwards: dict[str, list[int | list[object] | dict[object, object] | str | None]],
    key: str,
) -> dict[str, list[object] | dict[object, object]]:
    vertices.remove(key)
    for child in forwards.pop(key):
        backwards[child].remove(key)
    for parent in set(backwards.pop(key)):
        forwards[parent].remove(key)
    return {"vertices": vertices, "forwards": forwards, "backwards": backwards}
