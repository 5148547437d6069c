# Wrong: a text in ready_nodes that reads as a number is judged by that number.
def topological_sorter_is_active(ready_nodes, npassedout, nfinished):
    if ready_nodes is None:
        raise ValueError("prepare() must be called first")
    if isinstance(ready_nodes, str):
        try:
            ready_nodes = float(ready_nodes)
        except ValueError:
            pass
    return bool(ready_nodes) or nfinished < npassedout
