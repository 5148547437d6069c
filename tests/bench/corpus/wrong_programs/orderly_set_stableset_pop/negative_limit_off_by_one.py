# a negative index as large as the set is refused, so the only item cannot be popped by default
def stable_set_pop(map, is_mutable, index=-1):
    if not map:
        raise KeyError("set is empty")
    keys = list(map)
    if index < 0:
        index += len(keys)
        if index <= 0:
            raise IndexError("index out of range")
    key = keys[index]
    del map[key]
    return {"map": map, "result": key}
