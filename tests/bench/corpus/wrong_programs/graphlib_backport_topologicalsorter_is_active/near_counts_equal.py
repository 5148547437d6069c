# Wrong: counts are compared with a relative tolerance, so counts that are close pass for equal.
import math


def topological_sorter_is_active(ready_nodes, npassedout, nfinished):
    if ready_nodes is None:
        raise ValueError("prepare() must be called first")
    if ready_nodes:
        return True
    if math.isclose(npassedout, nfinished):
        return False
    return nfinished < npassedout
