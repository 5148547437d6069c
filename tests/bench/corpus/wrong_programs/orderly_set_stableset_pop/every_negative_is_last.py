# any negative index takes the last item
def stable_set_pop(map, is_mutable, index=-1):
    if not map:
        raise KeyError("set is empty")
    keys = list(map)
    if index < 0:
        key = keys[-1]
    else:
        key = keys[index]
    del map[key]
    return {"map": map, "result": key}
