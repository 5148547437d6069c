# Wrong: a false ready_nodes is read as a blocking cycle and ends progress even with nodes still out.
def topological_sorter_is_active(ready_nodes, npassedout, nfinished):
    if ready_nodes is None:
        raise ValueError("prepare() must be called first")
    if ready_nodes is False:
        return False
    return bool(ready_nodes) or nfinished < npassedout
