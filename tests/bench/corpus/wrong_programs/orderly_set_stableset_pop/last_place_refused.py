# the place of the last item is out of range when it is counted from the front
def stable_set_pop(map, is_mutable, index=-1):
    if not map:
        raise KeyError("set is empty")
    keys = list(map)
    if index >= 0 and index + 1 >= len(keys):
        raise IndexError(index)
    key = keys[index]
    del map[key]
    return {"map": map, "result": key}
