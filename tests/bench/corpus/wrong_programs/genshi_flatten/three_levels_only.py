# Wrong: nesting is resolved three levels deep only.
def flatten(items: list[int | list[object] | str]) -> list[int | dict[object, object] | str | None]:
    result = list(items)
    for _ in range(3):
        level = []
        for item in result:
            if isinstance(item, (list, tuple)):
                level.extend(item)
            else:
                level.append(item)
        result = level
    return result
