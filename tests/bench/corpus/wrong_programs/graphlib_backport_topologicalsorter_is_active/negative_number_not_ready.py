# Wrong: a numeric ready_nodes counts only when it is above zero, instead of when it is not zero.
def topological_sorter_is_active(ready_nodes, npassedout, nfinished):
    if ready_nodes is None:
        raise ValueError("prepare() must be called first")
    if isinstance(ready_nodes, (int, float)):
        has_ready = ready_nodes > 0
    else:
        has_ready = len(ready_nodes) > 0
    return has_ready or nfinished < npassedout
