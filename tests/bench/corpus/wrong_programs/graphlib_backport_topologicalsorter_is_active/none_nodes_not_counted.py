# Wrong: a ready node that is None is taken for an empty place and not counted.
def topological_sorter_is_active(ready_nodes, npassedout, nfinished):
    if ready_nodes is None:
        raise ValueError("prepare() must be called first")
    if isinstance(ready_nodes, list):
        ready_nodes = [node for node in ready_nodes if node is not None]
    return bool(ready_nodes) or nfinished < npassedout
